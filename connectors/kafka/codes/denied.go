package codes

import "fmt"

// Resources that permissions are on.
const (
	OnTopic = "topic"
	OnGroup = "group"
	OnTxnID = "transactional.id"
)

// Missing adds to an authorisation error which permission the request needs;
// any other error is returned as it is.
func Missing(err error, operation, resource, name string) error {
	if !Authorization(err) {
		return err
	}
	switch {
	case Is(err, TopicAuthorization):
		resource = OnTopic
	case Is(err, GroupAuthorization):
		resource = OnGroup
	}
	return fmt.Errorf("%w; the missing permission is %s on %s %s", err, operation, resource, name)
}
