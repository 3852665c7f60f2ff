package cosmostest

import (
	"net/http"
	"strings"
)

// tokenKind tells the tokens of a query apart.
type tokenKind int

const (
	tokenEnd    tokenKind = iota
	tokenWord             // an identifier or keyword
	tokenParam            // @name
	tokenNumber           // 12.5
	tokenString           // 'text' or "text", unquoted
	tokenSymbol           // an operator or a bracket
)

type token struct {
	kind tokenKind
	text string
}

// is reports whether the token is this keyword or symbol.
func (t token) is(text string) bool {
	return (t.kind == tokenWord || t.kind == tokenSymbol) && strings.EqualFold(t.text, text)
}

// lex cuts a query into tokens; the last one is the end.
func lex(query string) ([]token, *failure) {
	var out []token
	for i := 0; i < len(query); {
		c := query[i]
		start := i
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
			continue
		case isWordByte(c) && !isDigit(c):
			i = skip(query, i, isWordByte)
			out = append(out, token{tokenWord, query[start:i]})
		case c == '@':
			i = skip(query, i+1, isWordByte)
			out = append(out, token{tokenParam, query[start:i]})
		case isDigit(c) || c == '-' && i+1 < len(query) && isDigit(query[i+1]):
			i = skip(query, i+1, func(c byte) bool { return isDigit(c) || strings.IndexByte(".eE", c) >= 0 })
			out = append(out, token{tokenNumber, query[start:i]})
		case c == '\'' || c == '"':
			text, n, ok := unquote(query[i:])
			if !ok {
				return nil, unsupported("the string that begins at %q", query[i:])
			}
			i += n
			out = append(out, token{tokenString, text})
		default:
			i++
			if i < len(query) && strings.Contains("!= <> <= >=", query[start:i+1]) && c != ' ' && query[i] != ' ' {
				i++
			}
			out = append(out, token{tokenSymbol, query[start:i]})
		}
	}
	return append(out, token{}), nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c >= 0x80
}

func skip(s string, i int, ok func(byte) bool) int {
	for i < len(s) && ok(s[i]) {
		i++
	}
	return i
}

// unquote reads a quoted string at the start of s and returns its text and its length in s.
func unquote(s string) (text string, n int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), i + 1, true
		case s[i] == '\\' && i+1 < len(s):
			i++
			if r := strings.IndexByte("ntr", s[i]); r >= 0 {
				b.WriteByte("\n\t\r"[r])
				continue
			}
			fallthrough
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0, false
}

// unsupported is the refusal of a query; it names what this account cannot do.
func unsupported(format string, args ...any) *failure {
	f := fail(http.StatusBadRequest, 0, format, args...)
	f.message = "This account does not support " + f.message + ". It knows SELECT [TOP n] * | VALUE path | path [AS name], … | " +
		"VALUE COUNT(1) | VALUE COUNT|SUM|MIN|MAX|AVG(path) FROM alias [WHERE conditions with =, !=, <, <=, >, >=, IN, AND, OR, " +
		"NOT, IS_NULL, IS_DEFINED] [ORDER BY path [ASC|DESC]] [OFFSET n LIMIT m]."
	return f
}
