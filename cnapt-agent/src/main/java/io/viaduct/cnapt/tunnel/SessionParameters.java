package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.receipts.SessionCounts;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import org.jspecify.annotations.Nullable;

/// The terms of a Welcome, for the data path.
///
/// @param snapt id and address of the SNAPT, for a person; empty for a peer
/// @param settings settings of this end
/// @param peers addresses for datagrams to the other end; of an end that listens, where the other
///   one has come from
/// @param ownReceiverIndex receiver index in the SNAPT's datagrams
/// @param counts counts of the session's bytes, for receipts; null if there are none
public record SessionParameters(
    String snapt,
    TunnelTerms terms,
    TunnelSettings settings,
    Remotes peers,
    int ownReceiverIndex,
    @Nullable SessionCounts counts) {}
