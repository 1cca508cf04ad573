package io.viaduct.cnapt.control;

/// The session that a Hello asks to resume, and the agent's receiver index.
///
/// @param sessionId id of the session to resume; empty for a new session
/// @param receiverIndex receiver index in datagrams to the agent; a resumed session keeps its index
/// @param handOver number of the hand-over for which the device comes; 0 for none
record Resumption(String sessionId, int receiverIndex, long handOver) {}
