package io.viaduct.cnapt.policy;

/// Places the flows of one session. Owner: the data path's event loop.
public final class SessionPlacements {
  private final SteadyPath byDelay = new SteadyPath();
  private final MoveLimit limit = MoveLimit.ofSession();
  private Policy policy;

  /// @param policy lines for new flows
  public SessionPlacements(Policy policy) {
    this.policy = policy;
  }

  /// Uses other lines for new flows.
  public void use(Policy next) {
    policy = next;
  }

  /// Returns the placement of a flow that is new, or whose application has changed.
  public FlowPlacement place(FlowFacts facts) {
    return new FlowPlacement(
        policy.line(facts), facts.application().serviceClass(), byDelay, limit);
  }

  /// Returns the number of times that the flows which follow the delay have moved.
  public long delayMoves() {
    return byDelay.moves();
  }
}
