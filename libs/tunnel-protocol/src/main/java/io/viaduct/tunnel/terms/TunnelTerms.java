package io.viaduct.tunnel.terms;

import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;

/// Terms of one session that the handshake has settled.
///
/// @param secret belongs to its creator, which wipes it once the session has its keys
/// @param peerReceiverIndex number by which the peer finds this session, from Hello or Welcome
/// @param limits the smaller limits of both ends
public record TunnelTerms(
    AeadAlgorithm aead, SessionSecret secret, int peerReceiverIndex, TunnelLimits limits) {}
