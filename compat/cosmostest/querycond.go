package cosmostest

import (
	"encoding/json"
	"strings"
)

// or, and, not and comparison read a condition, loosest binding first.
func (p *parser) or() (expr, *failure) { return p.chain("OR", (*parser).and) }

func (p *parser) and() (expr, *failure) { return p.chain("AND", (*parser).not) }

// chain reads operands that are joined by one logical operator.
func (p *parser) chain(op string, operand func(*parser) (expr, *failure)) (expr, *failure) {
	e, f := operand(p)
	for f == nil && p.accept(op) {
		var right expr
		if right, f = operand(p); f == nil {
			e = logical{op, e, right}
		}
	}
	return e, f
}

func (p *parser) not() (expr, *failure) {
	if p.accept("NOT") {
		e, f := p.not()
		return negation{e}, f
	}
	return p.comparison()
}

func (p *parser) comparison() (expr, *failure) {
	left, f := p.operand()
	if f != nil {
		return nil, f
	}
	if p.accept("IN") {
		return p.list(left)
	}
	for _, op := range []string{"=", "!=", "<>", "<=", ">=", "<", ">"} {
		if p.accept(op) {
			right, f := p.operand()
			return compare{op, left, right}, f
		}
	}
	for _, word := range []string{"LIKE", "BETWEEN", "NOT"} {
		if p.peek().is(word) {
			return nil, unsupported("the operator %s", word)
		}
	}
	return left, nil
}

// list reads the values of IN.
func (p *parser) list(value expr) (expr, *failure) {
	if f := p.expect("("); f != nil {
		return nil, f
	}
	m := membership{value: value}
	for {
		e, f := p.operand()
		if f != nil {
			return nil, f
		}
		m.list = append(m.list, e)
		if !p.accept(",") {
			return m, p.expect(")")
		}
	}
}

// operand reads a value, or a condition in parentheses.
func (p *parser) operand() (expr, *failure) {
	t := p.peek()
	if v, ok := literal(t); ok {
		p.next()
		return constant{v}, nil
	}
	switch {
	case t.kind == tokenParam:
		p.next()
		return parameter(t.text), nil
	case p.accept("("):
		e, f := p.or()
		if f != nil {
			return nil, f
		}
		return e, p.expect(")")
	case t.kind == tokenWord && p.tokens[1].is("("):
		return p.function(strings.ToUpper(t.text))
	case t.is(p.alias):
		names, f := p.path()
		if f != nil {
			return nil, f
		}
		return names[1:], nil
	}
	return nil, unsupported("%q in a condition", t.text)
}

func (p *parser) function(name string) (expr, *failure) {
	if name != "IS_NULL" && name != "IS_DEFINED" {
		return nil, unsupported("the function %s", name)
	}
	p.next()
	p.next()
	e, f := p.operand()
	if f != nil {
		return nil, f
	}
	return typeTest{name, e}, p.expect(")")
}

// literal reads a constant.
func literal(t token) (any, bool) {
	switch {
	case t.kind == tokenString:
		return t.text, true
	case t.kind == tokenNumber:
		return json.Number(t.text), true
	case t.is("true"), t.is("false"):
		return t.is("true"), true
	case t.is("null"):
		return nil, true
	}
	return nil, false
}
