package client

import "github.com/sqlstream/sqlstream/connectors/kafka/codes"

// permission says what an answer of AddPartitionsToTxn or TxnOffsetCommit
// lacks. (The marker's group has the name of the transactional.id. Writing an
// offset of a topic needs READ on it, even for its own writer.)
func permission(api, id, topic string, err error) error {
	switch {
	case codes.Is(err, codes.TxnIDAuthorization):
		return codes.Missing(err, "WRITE", codes.OnTxnID, id)
	case codes.Is(err, codes.GroupAuthorization):
		return codes.Missing(err, "READ", codes.OnGroup, id)
	case api == "TxnOffsetCommit":
		return codes.Missing(err, "READ", codes.OnTopic, topic+" (a commit marker is an offset of it; 'sink.commit-marker' = 'false' does without)")
	}
	return codes.Missing(err, "WRITE", codes.OnTopic, topic)
}

func markerPermission(err error, id, group string) error {
	if codes.Is(err, codes.TxnIDAuthorization) {
		return codes.Missing(err, "WRITE", codes.OnTxnID, id)
	}
	return codes.Missing(err, "READ", codes.OnGroup, group)
}

func readsTopicAndGroup(err error, topic, group string) error {
	if codes.Is(err, codes.GroupAuthorization) {
		return codes.Missing(err, "READ", codes.OnGroup, group)
	}
	return codes.Missing(err, "READ", codes.OnTopic, topic)
}
