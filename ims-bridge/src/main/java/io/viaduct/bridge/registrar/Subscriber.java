package io.viaduct.bridge.registrar;

import io.viaduct.sip.aka.AkaKeys;
import io.viaduct.sip.digest.DigestAlgorithm;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A user of the domain, as provisioned by billing. Of the password only H(A1) is stored, and
/// [#toString] leaves it out.
///
/// @param user name of the user and of the account
/// @param ha1 lower-case hexadecimal
/// @param card the keys of the user's card, for AKA; never written to disk here
/// @param addresses user parts of further addresses of the user
/// @param deviceKeys Ed25519 public keys that tokens may be bound to
/// @param credit how the credit of the account stands
/// @param notice the latest change of the credit
public record Subscriber(
    String user,
    boolean isSuspended,
    Map<DigestAlgorithm, String> ha1,
    Optional<AkaKeys> card,
    Set<String> addresses,
    Set<ByteBuffer> deviceKeys,
    CreditState credit,
    CreditNotice notice) {
  public Subscriber {
    ha1 = Map.copyOf(ha1);
    addresses = Set.copyOf(addresses);
    deviceKeys = Set.copyOf(deviceKeys);
  }

  @Override
  public String toString() {
    return "Subscriber[%s%s, %d devices]"
        .formatted(user, isSuspended ? ", suspended" : "", deviceKeys.size());
  }
}
