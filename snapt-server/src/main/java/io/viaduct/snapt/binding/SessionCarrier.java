package io.viaduct.snapt.binding;

/// The data path, as the registry sees it. Called by the control thread; must not block it.
public interface SessionCarrier {
  /// Event loops that carry sessions, a power of two.
  int loops();

  /// Begins to carry a session on the loop that its receiver index names.
  void carry(Session session);

  /// Ends it: its last report is made, its keys are wiped.
  void end(Session session);
}
