package io.viaduct.sip.useragent;

/// Receives the events of a user agent. Called on the user agent's threads, so methods must return
/// soon.
public interface UserAgentListener {
  default void onState(UserAgentState state) {}

  default void onSessionGrant(SessionGrant grant) {}

  /// Returns true if messages are read here; must always return the same value. If false, the
  /// registrar is told (RFC 3840) and a MESSAGE gets 405, so that no sender believes that it was
  /// read.
  default boolean takesMessages() {
    return true;
  }

  default void onMessage(InstantMessage message) {}
}
