package io.viaduct.billing.diameter;

import io.viaduct.billing.call.CallCharging;
import io.viaduct.billing.call.WaitingCall;
import io.viaduct.billing.credit.CreditFollower;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.DiameterHeader;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.SessionParties;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.peer.NodeIdentity;
import java.time.InstantSource;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Sends a Re-Auth-Request for each call that waits for credit, once its account has some (RFC 8506
/// section 5.5). The node then asks for seconds; one that does not know the session says so, and
/// nothing has changed.
final class CallReauthorisation implements CreditFollower {
  private static final int RE_AUTH = 258;
  private static final int CLASS = 1000;

  private final DiameterNode node;
  private final CallCharging charging;
  private final String host;
  private final String realm;
  private final DiameterMeters meters;
  private final InstantSource clock;

  /// @param host Origin-Host of billing
  /// @param realm Origin-Realm of billing
  CallReauthorisation(
      DiameterNode node,
      CallCharging charging,
      String host,
      String realm,
      DiameterMeters meters,
      InstantSource clock) {
    this.node = node;
    this.charging = charging;
    this.host = host;
    this.realm = realm;
    this.meters = meters;
    this.clock = clock;
  }

  @Override
  public Set<String> accounts() {
    return charging.waitingAccounts();
  }

  @Override
  public void changed(String account) {
    for (WaitingCall call : charging.payable(account, clock.instant())) {
      var unused = node.send(request(call)).whenComplete(this::answered);
    }
  }

  private DiameterMessage request(WaitingCall call) {
    return new DiameterMessage(
        DiameterHeader.request(RE_AUTH, true, NodeIdentity.CREDIT_CONTROL),
        new SessionParties(Dictionary.standard(), host, realm, call.originRealm(), "")
            .begin(call.session())
            .add("Destination-Host", call.originHost())
            .add("Auth-Application-Id", NodeIdentity.CREDIT_CONTROL)
            .add("Re-Auth-Request-Type", "AUTHORIZE_ONLY")
            .build());
  }

  private void answered(@Nullable DiameterMessage answer, @Nullable Throwable failure) {
    if (answer == null) {
      meters.reauthorised(DiameterMeters.Reauthorisation.UNANSWERED);
      return;
    }
    long result = answer.avps().number("Result-Code").orElse(0);
    meters.reauthorised(
        result / CLASS == 2
            ? DiameterMeters.Reauthorisation.ACCEPTED
            : DiameterMeters.Reauthorisation.REFUSED);
  }
}
