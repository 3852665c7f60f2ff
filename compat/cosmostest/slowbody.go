package cosmostest

import (
	"bytes"
	"context"
	"io"
	"time"
)

// reader reads the body of an answer, no faster than its bandwidth.
func (ans *answer) reader(ctx context.Context) io.Reader {
	if ans.bandwidth > 0 {
		return &slowBody{ctx: ctx, rest: ans.body, perSecond: ans.bandwidth}
	}
	return bytes.NewReader(ans.body)
}

// slowBody is a body that trickles in, ten pieces in a second. It starts no goroutine: whoever reads it waits.
type slowBody struct {
	ctx       context.Context // of the request, which the body may outlast
	rest      []byte
	perSecond int
}

// Read waits for as long as the bytes that it returns take.
func (b *slowBody) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		return 0, io.EOF
	}
	n := min(len(p), len(b.rest), max(1, b.perSecond/10))
	if err := sleep(b.ctx, time.Duration(n)*time.Second/time.Duration(b.perSecond)); err != nil {
		return 0, err
	}
	copy(p, b.rest[:n])
	b.rest = b.rest[n:]
	return n, nil
}
