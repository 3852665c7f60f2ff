package main

import (
	"fmt"
	"net/http"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// faultActions are those on faults.
func (a *api) faultActions() {
	a.handle("GET /faults", func(*http.Request) (any, error) { return a.faults(), nil })
	a.handle("PUT /faults", a.setFaults)
	a.handle("POST /faults", a.addFault)
	a.handle("DELETE /faults", func(*http.Request) (any, error) {
		a.account.SetFaults()
		return a.faults(), nil
	})
	a.handle("GET /faults/{id}", a.onFault(func(*cosmostest.FaultRule) {}))
	a.handle("DELETE /faults/{id}", a.onFault((*cosmostest.FaultRule).Remove))
	a.handle("POST /faults/{id}/enable", a.onFault((*cosmostest.FaultRule).Enable))
	a.handle("POST /faults/{id}/disable", a.onFault((*cosmostest.FaultRule).Disable))
}

// faultList is the answer to GET /faults.
type faultList struct {
	Faults []faultState `json:"faults"`
}

func (a *api) faults() faultList {
	list := faultList{Faults: []faultState{}}
	for _, rule := range a.account.FaultRules() {
		list.Faults = append(list.Faults, newState(rule))
	}
	return list
}

func (a *api) setFaults(r *http.Request) (any, error) {
	var specs []faultSpec
	if err := read(r, &specs); err != nil {
		return nil, err
	}
	if err := setFaults(a.account, "", specs); err != nil {
		return nil, err
	}
	return a.faults(), nil
}

// setFaults puts faults in force, which stand at path.
func setFaults(account *cosmostest.Account, path string, specs []faultSpec) error {
	faults := make([]cosmostest.Fault, len(specs))
	ids := map[string]bool{}
	for i := range specs {
		at := fmt.Sprintf("%s[%d]", path, i)
		f, err := newFault(account, at, &specs[i])
		if err != nil {
			return err
		}
		if f.ID != "" && ids[f.ID] {
			return &fieldError{at + ".id", "is " + quoted(f.ID), "every id once"}
		}
		ids[f.ID] = true
		faults[i] = f
	}
	account.SetFaults(faults...)
	return nil
}

// newFault is the fault that a spec describes, for an account that has what it names.
func newFault(account *cosmostest.Account, path string, spec *faultSpec) (cosmostest.Fault, error) {
	if spec.Region != "" && spec.Region != "*" && !knows(account, spec.Region) {
		return cosmostest.Fault{}, &fieldError{
			joinPath(path, "region"), "is " + quoted(spec.Region), `"*", "global", ` + listed(account.Config().Regions),
		}
	}
	return spec.fault(path)
}

func (a *api) addFault(r *http.Request) (any, error) {
	var spec faultSpec
	if err := read(r, &spec); err != nil {
		return nil, err
	}
	f, err := newFault(a.account, "", &spec)
	if err != nil {
		return nil, err
	}
	rule, err := a.account.AddFault(f)
	if err != nil {
		return nil, &fieldError{"id", "is " + quoted(f.ID) + ", which there is already", "a new one, or none"}
	}
	return newState(rule), nil
}

// onFault is an action on the fault that the path names, and answers what has become of it.
func (a *api) onFault(do func(*cosmostest.FaultRule)) action {
	return func(r *http.Request) (any, error) {
		if err := nobody(r); err != nil {
			return nil, err
		}
		rule, err := a.account.FaultRule(r.PathValue("id"))
		if err != nil {
			return nil, &statusError{http.StatusNotFound, err}
		}
		do(rule)
		return newState(rule), nil
	}
}
