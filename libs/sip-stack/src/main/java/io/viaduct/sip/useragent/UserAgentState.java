package io.viaduct.sip.useragent;

/// State of a user agent, for people and for metrics.
///
/// @param registration with the registrar
/// @param subscription to the session event package
/// @param detail the last problem, or empty
public record UserAgentState(Phase registration, Phase subscription, String detail) {
  static final UserAgentState IDLE = new UserAgentState(Phase.IDLE, Phase.IDLE, "");

  /// State of a registration or a subscription.
  public enum Phase {
    /// Not wanted.
    IDLE,
    /// A request is under way.
    TRYING,
    ACTIVE,
    /// Failed; tried again after a while.
    WAITING
  }

  public boolean isRegistered() {
    return registration == Phase.ACTIVE;
  }
}
