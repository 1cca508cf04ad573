package io.viaduct.cnapt.links;

/// Receives the differences of the usable links; called on the data path's event loop.
public interface LinkListener {
  /// Ignores all differences.
  LinkListener NONE =
      new LinkListener() {
        @Override
        public void linkAdded(UsableLink link) {}

        @Override
        public void linkRemoved(UsableLink link) {}

        @Override
        public void linkChanged(UsableLink before, UsableLink now) {}
      };

  /// Called for a link that can be used from now on.
  void linkAdded(UsableLink link);

  /// Called for a link that can no longer be used. If a rule forbids it, it has changed to use NO
  /// before ([#linkChanged]).
  void linkRemoved(UsableLink link);

  /// Called for a link of the same interface that has other addresses, another cost or another use.
  void linkChanged(UsableLink before, UsableLink now);

  /// Called about once a second for a wireless link.
  ///
  /// @param dBm signal strength, below zero: −50 is strong, −80 is weak
  default void linkSignal(UsableLink link, int dBm) {}
}
