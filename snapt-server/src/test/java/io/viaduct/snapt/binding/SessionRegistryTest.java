package io.viaduct.snapt.binding;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.binding.SessionRegistry.Admission;
import io.viaduct.snapt.binding.SessionRegistry.Reason;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SessionRegistryTest {
  private final List<Session> carried = new ArrayList<>();
  private final AddressPool pool =
      new AddressPool(Prefix.of("10.9.0.0/24"), Prefix.of("fd09::/64"));
  private final SessionRegistry registry = registry(Duration.ofSeconds(10));

  private SessionRegistry registry(Duration idle) {
    return new SessionRegistry(
        100,
        idle,
        pool,
        new SessionCarrier() {
          @Override
          public int loops() {
            return 4;
          }

          @Override
          public void carry(Session session) {
            carried.add(session);
          }

          @Override
          public void onceCarried(Session session, Runnable then) {
            then.run();
          }

          @Override
          public void control(Session session, ControlLine.Connection connection) {}

          @Override
          public void datagrams(Session session, List<ByteBuf> datagrams, Runnable taken) {}

          @Override
          public void end(Session session) {
            carried.remove(session);
          }
        },
        () -> false,
        new SecureRandom());
  }

  private static ShownToken token(int device) {
    return token(device, 60_000);
  }

  private static ShownToken token(int device, long expiresMs) {
    byte[] key = new byte[32];
    key[3] = (byte) device;
    SessionToken content =
        SessionToken.newBuilder()
            .setAccount("alice")
            .setDeviceKey(ByteString.copyFrom(key))
            .setExpiresMs(expiresMs)
            .build();
    return new ShownToken(content, SignedSessionToken.getDefaultInstance());
  }

  private static Session.Terms terms() {
    return new Session.Terms(
        new TunnelTerms(
            AeadAlgorithm.AES_256_GCM,
            SessionSecret.draw(new SecureRandom()),
            1,
            new TunnelLimits(1500, 0)),
        InnerAddresses.of(new byte[] {10, 64, 0, 2}, new byte[0]),
        List.of(),
        "",
        Set.of(),
        null);
  }

  private Session open(int device) {
    return ((Admission.Admitted) registry.admit(token(device), "", 0, terms(), 0)).session();
  }

  @Test
  void sessionsAreSharedEvenlyAmongTheLoopsByTheirReceiverIndex() {
    int[] ofLoop = new int[4];
    for (int i = 0; i < 100; i++) {
      int index = open(i).receiverIndex();
      assertThat(index).isBetween(0, (1 << 24) - 1);
      ofLoop[index % 4]++;
    }
    assertThat(ofLoop).containsExactly(25, 25, 25, 25);
    assertThat(carried.stream().map(Session::receiverIndex).distinct()).hasSize(100);
    assertThat(carried.stream().map(Session::slot).distinct()).hasSize(100);
    assertThat(registry.admit(token(101), "", 0, terms(), 0))
        .isEqualTo(new Admission.Refused(Reason.SESSIONS_EXHAUSTED));
  }

  @Test
  void theLoadThatIsToldChangesSeldomWhileSessionsComeAndGo() {
    for (int i = 0; i < 10; i++) {
      open(i);
    }
    assertThat(registry.loadPercent()).isZero();
    Session eleventh = open(10);
    assertThat(registry.loadPercent()).isEqualTo(10);
    registry.end(eleventh, SessionEnd.GOODBYE);
    registry.end(carried.getLast(), SessionEnd.GOODBYE);
    assertThat(registry.loadPercent()).as("it does not follow each session").isEqualTo(10);
  }

  @Test
  void theLoadOfAFullSnaptIs100AndAbove70PercentItIsTwoPercentOldAtMost() {
    int told = 0;
    int changes = 0;
    for (int i = 1; i <= 100; i++) {
      open(i);
      int load = registry.loadPercent();
      assertThat(load).as("%d sessions of 100", i).isBetween(i - (i > 70 ? 2 : 10), i);
      changes += load == told ? 0 : 1;
      told = load;
    }
    assertThat(told).isEqualTo(100);
    assertThat(changes).isLessThanOrEqualTo(25);
    for (int i = 0; i < 30; i++) {
      registry.end(carried.getLast(), SessionEnd.GOODBYE);
      assertThat(registry.loadPercent()).isBetween(98 - i, 101 - i);
    }
    int now = registry.loadPercent();
    Session one = open(101);
    registry.end(one, SessionEnd.GOODBYE);
    assertThat(registry.loadPercent()).as("one session does not change it").isEqualTo(now);
  }

  @Test
  void aSessionThatIsNotHeardEndsAndOneThatIsLives() {
    Session idle = open(1);
    Session lively = open(2);
    lively.heard(9_000);
    registry.onTick(9_999);
    assertThat(carried).containsExactly(idle, lively);
    registry.onTick(10_000);
    assertThat(carried).containsExactly(lively);
    assertThat(registry.ends().of(SessionEnd.IDLE)).isEqualTo(1);
  }

  @Test
  void aDeviceThatIsHeardAfterItsTokenHasOneGraceHoweverLivelyItIs() {
    Session session = open(1);
    long end = 60_000 + Session.GRACE_MS;
    for (long now = 1_000; now < end; now += 250) {
      session.heard(now);
      registry.onTick(now);
      assertThat(session.mayCarry(now)).as("at %d ms", now).isTrue();
    }
    assertThat(session.mayCarry(end)).isFalse();
    for (long now = end; now <= end + 10_000; now += 250) {
      session.heard(now);
      registry.onTick(now);
      assertThat(session.mayCarry(now)).as("at %d ms", now).isFalse();
    }
    assertThat(carried).isEmpty();
    assertThat(registry.ends().of(SessionEnd.TOKEN_EXPIRED)).isEqualTo(1);
  }

  @Test
  void aSilentSessionOutlivesItsTokenCarriesNothingAndGoesOnWithANewerToken() {
    SessionRegistry patient = registry(Duration.ofHours(1));
    Session session = ((Admission.Admitted) patient.admit(token(1), "", 0, terms(), 0)).session();
    for (long now = 0; now < 660_000; now += 250) {
      patient.onTick(now);
    }
    assertThat(carried).containsExactly(session);
    assertThat(session.isAsleep(660_000)).isTrue();
    assertThat(session.mayCarry(660_000)).isFalse();
    session.heard(660_000);
    assertThat(session.mayCarry(660_000)).as("its first packet need not wait").isTrue();
    assertThat(patient.renew(session, token(1, 900_000))).isTrue();
    session.heard(700_000);
    patient.onTick(700_000);
    assertThat(session.mayCarry(700_000)).isTrue();
    assertThat(session.mayCarry(900_000)).as("no grace before a sign of life").isFalse();
    session.heard(900_000);
    assertThat(session.mayCarry(900_000)).as("the next token has a grace too").isTrue();
  }

  @Test
  void aSilentSessionEndsAtTheIdleTimeAlsoAfterItsToken() {
    SessionRegistry patient = registry(Duration.ofMinutes(10));
    patient.admit(token(1), "", 0, terms(), 0);
    for (long now = 0; now < 600_000; now += 250) {
      patient.onTick(now);
    }
    assertThat(carried).hasSize(1);
    patient.onTick(600_000);
    assertThat(carried).isEmpty();
    assertThat(patient.ends().of(SessionEnd.IDLE)).isEqualTo(1);
  }

  @Test
  void aDrainingSnaptResumesItsSessionsAndTakesNoOther() {
    Session session = open(1);
    registry.drain(true);
    assertThat(carried).hasSize(1);
    assertThat(registry.admit(token(1), session.id().toString(), 0, terms(), 0))
        .isEqualTo(new Admission.Admitted(session, true));
    assertThat(registry.admit(token(2), "", 0, terms(), 0))
        .isEqualTo(new Admission.Refused(Reason.DRAINING));
    assertThat(registry.admit(token(1), "", 0, terms(), 0))
        .as("not even in place of its own session, which goes on")
        .isEqualTo(new Admission.Refused(Reason.DRAINING));
    assertThat(registry.size()).isEqualTo(1);
    registry.drain(false);
    assertThat(registry.admit(token(2), "", 0, terms(), 0)).isInstanceOf(Admission.Admitted.class);
    registry.endAll(SessionEnd.DRAINED);
    assertThat(registry.ends().of(SessionEnd.DRAINED)).isEqualTo(2);
  }

  @Test
  void aStoppingSnaptEndsAllAndTakesNoneAndResumesNone() {
    Session session = open(1);
    registry.stop();
    assertThat(carried).isEmpty();
    assertThat(registry.size()).isZero();
    assertThat(registry.admit(token(1), session.id().toString(), 0, terms(), 0))
        .isEqualTo(new Admission.Refused(Reason.DRAINING));
  }

  @Test
  void aReturnedAddressIsNotFreeWhileASessionHasIt() {
    Session session = open(1);
    registry.passOn(session, true); // it has not left yet, and its next one has ended
    registry.returned(session.address());
    assertThat(pool.assign(token(1).deviceKey().toByteArray()))
        .as("the next slot")
        .isNotEqualTo(OptionalInt.of(session.slot()));
    registry.end(session, SessionEnd.GOODBYE);
    assertThat(pool.assign(token(1).deviceKey().toByteArray())).hasValue(session.slot());
  }

  @Test
  void anAddressThatIsNotHandedOnIsFreedOnceAlsoIfItsSessionHasEndedBefore() {
    Session ended = open(1);
    registry.end(ended, SessionEnd.GOODBYE);
    Session next = open(1);
    assertThat(next.slot()).isEqualTo(ended.slot());
    registry.passOn(ended, true);
    registry.passOn(ended, false);
    assertThat(pool.assign(token(1).deviceKey().toByteArray()))
        .as("the slot of the next session is not free")
        .isNotEqualTo(OptionalInt.of(next.slot()));
  }
}
