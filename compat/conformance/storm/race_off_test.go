//go:build !race

package storm

// crowd is how many clients there are. The service is as large as they need.
const crowd = usualCrowd
