package io.viaduct.snapt.relay;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/// The sessions of the other SNAPTs of a group. Called on event loops; must not block.
public interface MemberAccounts {
  /// A SNAPT without a group.
  MemberAccounts NONE =
      new MemberAccounts() {
        @Override
        public boolean has(InetAddress address) {
          return false;
        }

        @Override
        public @Nullable String accountOf(InetAddress address) {
          return null;
        }
      };

  /// Returns whether an address is of the pool of another member.
  boolean has(InetAddress address);

  /// Returns the account of the session that has a public address at another member; null if there
  /// is none, or it is not known yet.
  @Nullable String accountOf(InetAddress address);
}
