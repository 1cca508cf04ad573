package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.session.TunnelSettings;
import java.net.InetSocketAddress;

/// What a Welcome agrees on, for the data path.
///
/// @param peer where the SNAPT takes datagrams
/// @param ownReceiverIndex what its datagrams carry
/// @param peerReceiverIndex what ours carry
public record SessionParameters(
    TunnelSettings settings,
    AeadAlgorithm aead,
    SessionSecret secret,
    InetSocketAddress peer,
    int ownReceiverIndex,
    int peerReceiverIndex) {}
