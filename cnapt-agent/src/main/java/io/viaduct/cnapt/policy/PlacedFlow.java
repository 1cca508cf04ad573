package io.viaduct.cnapt.policy;

/// The SNAPT that a flow has, or would have if it began now.
///
/// @param snapt id and address; empty before the first session, and with a peer
/// @param why the reason with its inputs, for a person; empty if there is no choice
/// @param refused true if no SNAPT meets the class, and the flow would be refused
/// @param ranksItself true if the SNAPT selects the path of a flow that counts rate by its own
///   rates
/// @param spreads true if both ends let a flow of this protocol travel by all paths
public record PlacedFlow(
    String snapt, String why, boolean refused, boolean ranksItself, boolean spreads) {}
