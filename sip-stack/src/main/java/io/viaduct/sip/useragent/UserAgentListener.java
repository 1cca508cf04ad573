package io.viaduct.sip.useragent;

/// What a user agent tells its owner. Called on the user agent's threads: return soon.
public interface UserAgentListener {
  default void onState(UserAgentState state) {}

  default void onSessionGrant(SessionGrant grant) {}

  /// Whether somebody reads messages here. If not, the registrar is told (RFC 3840) and a MESSAGE
  /// gets 405, so that no sender takes it for read. Always the same answer.
  default boolean takesMessages() {
    return true;
  }

  default void onMessage(InstantMessage message) {}
}
