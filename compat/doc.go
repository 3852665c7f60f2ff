// Package compat has drop-in constructors for azcosmos clients, and whatever
// depends on how azcosmos shapes its requests.
//
// The constructors have azcosmos's own names and parameters, and one more. What
// they return is a plain *azcosmos.Client; an existing program changes the line
// that makes its client, and nothing else:
//
//	client, err := compat.NewClientWithKey(endpoint, cred, options, nil)
package compat
