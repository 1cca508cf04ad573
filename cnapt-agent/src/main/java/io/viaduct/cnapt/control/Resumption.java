package io.viaduct.cnapt.control;

/// The session that a Hello asks for, and the name it gives to our end of it.
///
/// @param sessionId of the session to resume; empty: a new one
/// @param receiverIndex what datagrams to us carry; a resumed session keeps its own
record Resumption(String sessionId, int receiverIndex) {}
