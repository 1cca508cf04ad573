package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.receipts.SessionCounts;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;

/// The terms of a Welcome, for the data path.
///
/// @param settings settings of this end
/// @param peers addresses for datagrams to the SNAPT
/// @param ownReceiverIndex receiver index in the SNAPT's datagrams
/// @param counts counts of the session's bytes, for receipts
public record SessionParameters(
    TunnelTerms terms,
    TunnelSettings settings,
    Remotes peers,
    int ownReceiverIndex,
    SessionCounts counts) {}
