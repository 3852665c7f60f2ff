package cosmostest

import (
	"strconv"
	"strings"
)

// statement is a parsed query.
type statement struct {
	alias     string
	top       int     // -1: no limit
	aggregate string  // COUNT, SUM, MIN, MAX or AVG, of the only field, or of everything without one
	value     bool    // SELECT VALUE
	fields    []field // empty: the whole item
	where     expr    // nil: everything
	order     path    // nil: that of the items
	desc      bool
	offset    int
	limit     int // -1: none
}

func newStatement() *statement { return &statement{top: -1, limit: -1} }

// local names what makes a query impossible to answer partition by partition; empty for nothing.
func (st *statement) local() string {
	switch {
	case st.aggregate != "" && !(st.aggregate == "COUNT" && len(st.fields) == 0):
		return "the aggregate " + st.aggregate
	case st.order != nil:
		return "ORDER BY"
	case st.limit >= 0:
		return "OFFSET LIMIT"
	}
	return ""
}

// field is one selected path and the name it gets.
type field struct {
	name string
	path path
}

// parser reads tokens from left to right.
type parser struct {
	tokens []token
	alias  string
}

func (p *parser) peek() token { return p.tokens[0] }

func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != tokenEnd {
		p.tokens = p.tokens[1:]
	}
	return t
}

// accept consumes the token if it is this keyword or symbol.
func (p *parser) accept(text string) bool {
	if !p.peek().is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) *failure {
	if !p.accept(text) {
		return unsupported("%q where %s is expected", p.peek().text, text)
	}
	return nil
}

// parseQuery reads a query.
func parseQuery(query string) (*statement, *failure) {
	tokens, f := lex(query)
	if f != nil {
		return nil, f
	}
	p := &parser{tokens: tokens}
	st := newStatement()
	if f := p.expect("SELECT"); f != nil {
		return nil, f
	}
	if f := p.selection(st); f != nil {
		return nil, f
	}
	if f := p.from(); f != nil {
		return nil, f
	}
	st.alias = p.alias
	if f := st.strip(); f != nil {
		return nil, f
	}
	if p.accept("WHERE") {
		if st.where, f = p.or(); f != nil {
			return nil, f
		}
	}
	if f := p.tail(st); f != nil {
		return nil, f
	}
	return st, p.end()
}

// parseCondition reads the condition of a patch: "FROM c WHERE …".
func parseCondition(text string) (expr, *failure) {
	tokens, f := lex(text)
	if f != nil {
		return nil, f
	}
	p := &parser{tokens: tokens}
	if f := p.from(); f != nil {
		return nil, f
	}
	if f := p.expect("WHERE"); f != nil {
		return nil, f
	}
	cond, f := p.or()
	if f != nil {
		return nil, f
	}
	return cond, p.end()
}

func (p *parser) end() *failure {
	p.accept(";")
	if t := p.peek(); t.kind != tokenEnd {
		clause := strings.ToUpper(t.text)
		if len(p.tokens) > 1 && p.tokens[1].is("BY") {
			clause += " BY"
		}
		return unsupported("the clause %s", clause)
	}
	return nil
}

func (p *parser) selection(st *statement) *failure {
	if p.peek().is("DISTINCT") {
		return unsupported("the clause DISTINCT")
	}
	if p.accept("TOP") {
		n, err := strconv.Atoi(p.next().text)
		if err != nil {
			return unsupported("TOP without a number")
		}
		st.top = n
	}
	if p.accept("*") {
		return nil
	}
	st.value = p.accept("VALUE")
	if name := strings.ToUpper(p.peek().text); st.value && isAggregate(name) && p.tokens[1].is("(") {
		return p.aggregate(st, name)
	}
	for {
		t := p.peek()
		if t.kind != tokenWord || p.tokens[1].is("(") {
			return unsupported("the selection of %q", t.text)
		}
		path, f := p.path()
		if f != nil {
			return f
		}
		name := path[len(path)-1]
		if p.accept("AS") {
			name = p.next().text
		}
		st.fields = append(st.fields, field{name, path})
		if !p.accept(",") {
			return nil
		}
	}
}

// from reads FROM and the alias: "FROM c", "FROM container c", "FROM container AS c".
func (p *parser) from() *failure {
	if f := p.expect("FROM"); f != nil {
		return f
	}
	if p.peek().kind != tokenWord {
		return unsupported("a FROM clause without an alias")
	}
	p.alias = p.next().text
	if p.accept("AS") || p.peek().kind == tokenWord && !p.clause() {
		p.alias = p.next().text
	}
	if p.peek().is(".") || p.peek().is("[") || p.peek().is(",") {
		return unsupported("a FROM clause with more than an alias")
	}
	return nil
}

// clause reports whether the next word begins a clause.
func (p *parser) clause() bool {
	for _, word := range []string{"WHERE", "ORDER", "GROUP", "JOIN", "OFFSET", "IN"} {
		if p.peek().is(word) {
			return true
		}
	}
	return false
}

// strip takes the alias, which is known only now, off the selected paths.
func (st *statement) strip() *failure {
	for i, fd := range st.fields {
		if fd.path[0] != st.alias {
			return unsupported("the selection of %q, which does not begin with the alias %q", strings.Join(fd.path, "."), st.alias)
		}
		st.fields[i].path = fd.path[1:]
	}
	if st.aggregate != "" && st.top >= 0 {
		return unsupported("TOP with an aggregate")
	}
	if st.value && len(st.fields) > 1 {
		return unsupported("SELECT VALUE with more than one value")
	}
	return nil
}

// path reads name.name["name"][0], alias included.
func (p *parser) path() (path, *failure) {
	out := path{p.next().text}
	for {
		switch {
		case p.accept("."):
			t := p.next()
			if t.kind != tokenWord {
				return nil, unsupported("%q after a dot", t.text)
			}
			out = append(out, t.text)
		case p.accept("["):
			t := p.next()
			if t.kind != tokenString && t.kind != tokenNumber {
				return nil, unsupported("%q in brackets", t.text)
			}
			out = append(out, t.text)
			if f := p.expect("]"); f != nil {
				return nil, f
			}
		default:
			return out, nil
		}
	}
}
