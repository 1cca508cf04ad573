package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.receipts.SessionCounts;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.net.InetSocketAddress;

/// The terms of a Welcome, for the data path.
///
/// @param settings settings of this end
/// @param peer address for datagrams to the SNAPT
/// @param ownReceiverIndex receiver index in the SNAPT's datagrams
/// @param counts counts of the session's bytes, for receipts
public record SessionParameters(
    TunnelTerms terms,
    TunnelSettings settings,
    InetSocketAddress peer,
    int ownReceiverIndex,
    SessionCounts counts) {}
