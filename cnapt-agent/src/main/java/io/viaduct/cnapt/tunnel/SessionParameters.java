package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.receipts.SessionCounts;
import io.viaduct.tunnel.session.TunnelSettings;
import io.viaduct.tunnel.session.TunnelTerms;
import java.net.InetSocketAddress;

/// What a Welcome agrees on, for the data path.
///
/// @param settings this end's own
/// @param peer where the SNAPT takes datagrams
/// @param ownReceiverIndex what its datagrams carry
/// @param counts where the session's bytes are counted for receipts
public record SessionParameters(
    TunnelTerms terms,
    TunnelSettings settings,
    InetSocketAddress peer,
    int ownReceiverIndex,
    SessionCounts counts) {}
