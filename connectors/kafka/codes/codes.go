// Package codes names Kafka's error codes and says what a person can do about
// each. (sarama has no name for some that matter here.)
package codes

import (
	"errors"
	"fmt"
)

// Code is an error code of the Kafka protocol, an error by itself.
type Code int16

// The codes that the connector branches on.
const (
	UnknownServerError      Code = -1
	OffsetOutOfRange        Code = 1
	CorruptMessage          Code = 2
	UnknownTopic            Code = 3
	LeaderNotAvailable      Code = 5
	NotLeader               Code = 6
	RequestTimedOut         Code = 7
	ReplicaNotAvailable     Code = 9
	MessageTooLarge         Code = 10
	NetworkException        Code = 13
	CoordinatorLoading      Code = 14
	CoordinatorNotAvailable Code = 15
	NotCoordinator          Code = 16
	InvalidTopic            Code = 17
	NotEnoughReplicas       Code = 19
	NotEnoughAfterAppend    Code = 20
	TopicAuthorization      Code = 29
	GroupAuthorization      Code = 30
	ClusterAuthorization    Code = 31
	UnsupportedSASL         Code = 33
	UnsupportedVersion      Code = 35
	TopicAlreadyExists      Code = 36
	OutOfOrderSequence      Code = 45
	DuplicateSequence       Code = 46
	InvalidProducerEpoch    Code = 47
	InvalidTxnState         Code = 48
	InvalidProducerMapping  Code = 49
	InvalidTxnTimeout       Code = 50
	ConcurrentTransactions  Code = 51
	TxnCoordinatorFenced    Code = 52
	TxnIDAuthorization      Code = 53
	KafkaStorageError       Code = 56
	SASLAuthentication      Code = 58
	UnknownProducerID       Code = 59
	GroupIDNotFound         Code = 69
	FencedLeaderEpoch       Code = 74
	UnknownLeaderEpoch      Code = 75
	OffsetNotAvailable      Code = 78
	UnstableOffsetCommit    Code = 88
	ThrottlingQuota         Code = 89
	ProducerFenced          Code = 90
	TxnIDNotFound           Code = 105
	TxnAbortable            Code = 120
)

type description struct{ name, advice string }

var table = map[Code]description{
	-1:  {"UNKNOWN_SERVER_ERROR", "the broker's log says more"},
	1:   {"OFFSET_OUT_OF_RANGE", "records were deleted by retention, or the topic was made again"},
	2:   {"CORRUPT_MESSAGE", "a batch was damaged on the way"},
	3:   {"UNKNOWN_TOPIC_OR_PARTITION", "create the topic, or correct its name"},
	5:   {"LEADER_NOT_AVAILABLE", "no broker leads the partition just now"},
	6:   {"NOT_LEADER_OR_FOLLOWER", "the partition moved to another broker"},
	7:   {"REQUEST_TIMED_OUT", "the broker was too slow; is a replica down?"},
	9:   {"REPLICA_NOT_AVAILABLE", "the partition is moving"},
	10:  {"MESSAGE_TOO_LARGE", "raise max.message.bytes of the topic, or write smaller rows"},
	13:  {"NETWORK_EXCEPTION", "the connection broke"},
	14:  {"COORDINATOR_LOAD_IN_PROGRESS", "the coordinator is starting"},
	15:  {"COORDINATOR_NOT_AVAILABLE", "the coordinator is moving"},
	16:  {"NOT_COORDINATOR", "the coordinator moved to another broker"},
	17:  {"INVALID_TOPIC_EXCEPTION", "the topic's name is not valid, or the topic is internal"},
	18:  {"RECORD_LIST_TOO_LARGE", "raise segment.bytes of the topic"},
	19:  {"NOT_ENOUGH_REPLICAS", "fewer replicas are in sync than min.insync.replicas"},
	20:  {"NOT_ENOUGH_REPLICAS_AFTER_APPEND", "fewer replicas are in sync than min.insync.replicas"},
	29:  {"TOPIC_AUTHORIZATION_FAILED", "the user lacks READ, WRITE or DESCRIBE on the topic"},
	30:  {"GROUP_AUTHORIZATION_FAILED", "the user lacks READ on the group; a sink's commit markers use a group named as the transactional.id ('sink.commit-marker'='false' does without)"},
	31:  {"CLUSTER_AUTHORIZATION_FAILED", "the user lacks a permission on the cluster (IDEMPOTENT_WRITE, DESCRIBE)"},
	33:  {"UNSUPPORTED_SASL_MECHANISM", "the broker does not offer this sasl.mechanism"},
	35:  {"UNSUPPORTED_VERSION", "the broker is too old, or too new, for this request"},
	36:  {"TOPIC_ALREADY_EXISTS", ""},
	42:  {"INVALID_REQUEST", "the broker's log says more"},
	44:  {"POLICY_VIOLATION", "a policy of the broker forbids it"},
	45:  {"OUT_OF_ORDER_SEQUENCE_NUMBER", "a batch before this one was lost"},
	46:  {"DUPLICATE_SEQUENCE_NUMBER", "the batch had been written already"},
	47:  {"INVALID_PRODUCER_EPOCH", "another producer with this transactional.id started, or the broker timed the transaction out"},
	48:  {"INVALID_TXN_STATE", "the transaction is not open any more"},
	49:  {"INVALID_PRODUCER_ID_MAPPING", "the broker has forgotten this transactional.id (transactional.id.expiration.ms)"},
	50:  {"INVALID_TRANSACTION_TIMEOUT", "lower properties.transaction.timeout.ms, or raise transaction.max.timeout.ms of the broker"},
	51:  {"CONCURRENT_TRANSACTIONS", "the transaction before is still being completed"},
	52:  {"TRANSACTION_COORDINATOR_FENCED", "the coordinator moved"},
	53:  {"TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "the user lacks WRITE and DESCRIBE on the transactional.id: allow the prefix sink.transactional-id-prefix"},
	56:  {"KAFKA_STORAGE_ERROR", "a disk of the broker fails"},
	58:  {"SASL_AUTHENTICATION_FAILED", "check the user and password in properties.sasl.jaas.config"},
	59:  {"UNKNOWN_PRODUCER_ID", "the broker has forgotten the producer"},
	60:  {"REASSIGNMENT_IN_PROGRESS", ""},
	69:  {"GROUP_ID_NOT_FOUND", ""},
	74:  {"FENCED_LEADER_EPOCH", "the partition has a newer leader"},
	75:  {"UNKNOWN_LEADER_EPOCH", "the broker lags behind"},
	76:  {"UNSUPPORTED_COMPRESSION_TYPE", "choose another properties.compression.type"},
	78:  {"OFFSET_NOT_AVAILABLE", "the new leader is catching up"},
	87:  {"INVALID_RECORD", "the topic refuses the record: does a compacted topic get records without key?"},
	88:  {"UNSTABLE_OFFSET_COMMIT", "a transaction is still being completed"},
	89:  {"THROTTLING_QUOTA_EXCEEDED", "a quota of the broker is used up"},
	90:  {"PRODUCER_FENCED", "another producer with this transactional.id started, or the broker timed the transaction out"},
	105: {"TRANSACTIONAL_ID_NOT_FOUND", "the broker does not know this transactional.id"},
	120: {"TRANSACTION_ABORTABLE", "the broker wants the transaction to be aborted"},
}

// Name is Kafka's name of the code.
func (c Code) Name() string {
	if d, ok := table[c]; ok {
		return d.name
	}
	return fmt.Sprintf("error %d", int16(c))
}

// Advice is what a person can do, or ""; without a full stop.
func (c Code) Advice() string { return table[c].advice }

func (c Code) Error() string {
	if a := c.Advice(); a != "" {
		return fmt.Sprintf("%s (%d): %s", c.Name(), int16(c), a)
	}
	return fmt.Sprintf("%s (%d)", c.Name(), int16(c))
}

// External tells that the cluster has to be changed, or what is asked of it:
// a missing topic, a permission. The program ends with the exit code of that.
func (c Code) External() bool {
	switch c {
	case UnknownTopic, InvalidTopic, TopicAuthorization, GroupAuthorization, ClusterAuthorization, TxnIDAuthorization, SASLAuthentication:
		return true
	}
	return false
}

// Err is nil for 0.
func Err(code int16) error {
	if code == 0 {
		return nil
	}
	return Code(code)
}

// Of returns the code in err's chain; false if there is none: then no answer
// came (a broken connection, a time-out).
func Of(err error) (Code, bool) {
	var c Code
	ok := errors.As(err, &c)
	return c, ok
}

// Is tells whether err holds one of the codes.
func Is(err error, any ...Code) bool {
	c, ok := Of(err)
	if !ok {
		return false
	}
	for _, a := range any {
		if a == c {
			return true
		}
	}
	return false
}

// Authorization tells whether err means a missing permission.
func Authorization(err error) bool {
	return Is(err, TopicAuthorization, GroupAuthorization, ClusterAuthorization, TxnIDAuthorization)
}
