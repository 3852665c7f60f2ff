package regioncache

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cosmosretry/cosmosretry/internal/event"
)

func TestRefreshTellsWhetherItFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failure error
		c := newCache(t, single, &Options{Account: func(context.Context, string) ([]byte, error) {
			return single.document(), failure
		}})
		var got []event.Event
		c.ReportTo(event.NewHub([]event.Observer{event.Func(func(_ context.Context, e event.Event) { got = append(got, e) })}))
		failure = errors.New("no route\nand more of it")
		<-c.Refresh()
		failure = nil
		<-c.Refresh()
		synctest.Wait()
		if len(got) != 2 || !got[0].Failed || got[1].Failed || got[0].Kind != event.KindRefreshed || got[1].Kind != event.KindRefreshed {
			t.Fatalf("got %+v, want one refresh that failed and one that did not", got)
		}
		if r := got[0].Reason; !strings.Contains(r, "no route") || strings.Contains(r, "and more") {
			t.Errorf("reason %q: want the first line of the error", r)
		}
	})
}
