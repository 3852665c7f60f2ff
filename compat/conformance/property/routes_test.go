package property

import (
	"slices"
	"strings"
	"time"
)

// regionKey is a region's name as names are compared: without regard to case, spaces, hyphens and underscores.
func regionKey(name string) string { return strings.ToLower(noise.Replace(name)) }

var noise = strings.NewReplacer(" ", "", "-", "", "_", "")

// list is the operation's list of regions on an account of the given shape, exclusions left aside: "An operation's list
// of regions" and "Metadata operations".
func (o *outcome) list(s shape) []string {
	switch {
	case !o.script.writes():
		return s.regions
	case o.script.metadata() && s.multi:
		return s.write[:1]
	case !o.script.metadata() && s.ppaf && !s.multi:
		list := slices.Clone(s.write)
		for _, r := range s.regions {
			if !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
		return list
	}
	return s.write
}

// allowed is the list without the excluded regions.
func (o *outcome) allowed(s shape) []string {
	return slices.DeleteFunc(slices.Clone(o.list(s)), o.excluded)
}

func (o *outcome) excluded(region string) bool {
	same := func(name string) bool { return regionKey(name) == regionKey(region) }
	return slices.ContainsFunc(o.world.client.excluded, same) || slices.ContainsFunc(o.script.excluded, same)
}

// hub is where the operation goes when every region of its list is excluded: the write region, on multi-write accounts
// the first preferred one of those that take item writes.
func (o *outcome) hub(s shape) string {
	if !s.multi || o.script.writes() && o.script.metadata() {
		return s.write[0]
	}
	for _, name := range o.world.client.preferred {
		for _, r := range s.write {
			if regionKey(r) == regionKey(name) {
				return r
			}
		}
	}
	return s.write[0]
}

// candidates are the regions that may serve the operation on an account of the given shape.
func (o *outcome) candidates(s shape) []string {
	if list := o.allowed(s); len(list) > 0 {
		return list
	}
	return []string{o.hub(s)}
}

// preferred is the first region of the operation's list: the first of the client's preferences that it has, unless the
// write region alone decides.
func (o *outcome) preferred(s shape) string {
	list := o.candidates(s)
	if !o.script.writes() || s.multi && !o.script.metadata() {
		for _, name := range o.world.client.preferred {
			for _, r := range list {
				if regionKey(r) == regionKey(name) {
					return r
				}
			}
		}
	}
	return list[0]
}

// known are the shapes that the client may take the account to have at a time: the one that the latest account read
// told, and those of reads that end at this very moment. None: it may know nothing yet.
func (o *outcome) known(at time.Time) []shape {
	var latest *read
	var shapes []shape
	for i := range o.reads {
		r := &o.reads[i]
		switch {
		case r.end.Equal(at):
			shapes = append(shapes, r.shape)
		case r.end.Before(at) && (latest == nil || !r.start.Before(latest.start)):
			latest = r
		}
	}
	if latest != nil {
		shapes = append(shapes, latest.shape)
	} else if o.world.cold {
		return nil
	}
	return shapes
}

// pinned reports whether the client sends everything to the endpoint that it was made with.
func (o *outcome) pinned() bool {
	d := o.world.settings.Regions.Discovery
	return d != nil && !*d
}

// steady returns the shape that the client knows throughout the operation; ok is false when it may change.
func (o *outcome) steady() (s shape, ok bool) {
	for i := range o.attempts {
		shapes := o.known(o.attempts[i].Time)
		if len(shapes) != 1 || i > 0 && !same(shapes[0], s) {
			return s, false
		}
		s = shapes[0]
	}
	return s, len(o.attempts) > 0
}

func same(a, b shape) bool {
	return slices.Equal(a.regions, b.regions) && slices.Equal(a.write, b.write) && a.multi == b.multi && a.ppaf == b.ppaf
}
