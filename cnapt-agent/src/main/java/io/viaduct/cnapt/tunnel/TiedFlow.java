package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.snapts.SnaptDecision;

/// The reason for which a flow has the SNAPT of other flows.
///
/// @param why the tie that it follows, for a person
/// @param without the choice that would have been made without the tie
record TiedFlow(String why, SnaptDecision without) {
  @Override
  public String toString() {
    return why
        + "; without them "
        + without.best().facts().name()
        + " would have been taken: "
        + without.why();
  }
}
