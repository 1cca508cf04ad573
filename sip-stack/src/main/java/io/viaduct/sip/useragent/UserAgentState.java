package io.viaduct.sip.useragent;

/// What a user agent is doing, for people and for metrics.
///
/// @param registration with the registrar
/// @param subscription to the session event package
/// @param detail the last thing that went wrong, or empty
public record UserAgentState(Phase registration, Phase subscription, String detail) {
  static final UserAgentState IDLE = new UserAgentState(Phase.IDLE, Phase.IDLE, "");

  /// Of a registration or a subscription.
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
