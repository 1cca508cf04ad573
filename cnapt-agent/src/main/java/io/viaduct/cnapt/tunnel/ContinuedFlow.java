package io.viaduct.cnapt.tunnel;

/// The reason for which a flow has its SNAPT, if it went there with its session or has come back
/// there.
///
/// @param how words for a person
/// @param former the reason for which it got its first SNAPT, as in [FlowNote#placed]
record ContinuedFlow(String how, Object former) {
  /// Returns the reason of a flow that goes on in another session.
  ///
  /// @param before the reason in the session before
  static ContinuedFlow of(String how, Object before) {
    return new ContinuedFlow(how, before instanceof ContinuedFlow it ? it.former : before);
  }

  @Override
  public String toString() {
    return how + "; it began with: " + FlowNote.words(former);
  }
}
