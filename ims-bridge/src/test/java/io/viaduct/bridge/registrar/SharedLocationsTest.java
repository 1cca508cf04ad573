package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.core.ChargingAddresses;
import io.viaduct.bridge.core.ChargingVector;
import io.viaduct.bridge.core.CoreRegistration;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.usage.v1.ReplicaEntry;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The bindings of bridges that tell each other their changes.
class SharedLocationsTest {
  private static final SipFlow FLOW =
      new SipFlow(Transport.UDP, new InetSocketAddress("2001:db8::1", 5060));

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final Bridge one = new Bridge("one");
  private final Bridge two = new Bridge("two");

  private final class Bridge {
    final Replicas replicas;
    final LocationService locations;
    final List<ReplicaEntry> told = new ArrayList<>();

    Bridge(String name) {
      replicas = new Replicas(name, 100, () -> now);
      replicas.watch(key -> told.add(replicas.get(key).orElseThrow()));
      locations = new LocationService(3, 10, replicas);
    }

    void register(Binding binding) {
      assertThat(locations.update(binding.user(), List.of(binding), now))
          .isEqualTo(LocationService.Outcome.DONE);
    }
  }

  private void exchange() {
    one.told.forEach(two.replicas::merge);
    two.told.forEach(one.replicas::merge);
  }

  private Binding binding(String contact, String instance, int regId, long cseq, long seconds) {
    return new Binding(
        "alice",
        contact,
        instance,
        FLOW,
        "call",
        cseq,
        now,
        now.plusSeconds(seconds),
        500,
        Set.of("MESSAGE", "!INVITE"),
        regId,
        List.of("<sip:edge;lr>"),
        Locale.ITALIAN,
        Optional.of(
            new CoreRegistration(
                "sip:scscf;lr",
                "sip:snapt@ims.test",
                Optional.of(new ChargingVector("icid", "host")),
                new ChargingAddresses(List.of("ccf"), List.of("ecf")))));
  }

  @Test
  void aBindingIsTheSameAtTheOtherBridgeButForTheOwnerOfItsFlow() {
    Binding binding = binding("sip:a@h", "<urn:x>", 1, 1, 600);
    one.register(binding);
    exchange();
    assertThat(two.locations.all(now))
        .singleElement()
        .satisfies(copy -> {
          assertThat(copy.flow()).isEqualTo(FLOW.of("one"));
          assertThat(ContactText.read(ContactText.write(copy, "two"), "one")).isEqualTo(binding);
        });
  }

  @Test
  void twoDevicesOfAUserThatRegisterAtTwoBridgesAtATimeAreBothKnownAtBoth() {
    one.register(binding("sip:a@phone", "", 0, 1, 600));
    two.register(binding("sip:a@tablet", "", 0, 1, 600));
    exchange();
    assertThat(one.locations.all(now)).hasSize(2);
    assertThat(two.locations.all(now)).hasSize(2);
  }

  @Test
  void aDeviceThatMovesReplacesItsContactAtAllBridges() {
    one.register(binding("sip:a@here", "<urn:x>", 0, 1, 600));
    exchange();
    two.register(binding("sip:a@there", "<urn:x>", 0, 2, 600));
    exchange();
    assertThat(one.locations.all(now))
        .singleElement()
        .satisfies(copy -> assertThat(copy.contact()).isEqualTo("sip:a@there"));
  }

  @Test
  void anEndReachesAllBridgesAndALateCopyDoesNotBringItBack() {
    one.register(binding("sip:a@h", "", 0, 1, 600));
    exchange();
    ReplicaEntry late = one.told.getFirst();
    two.register(binding("sip:a@h", "", 0, 2, 0));
    exchange();
    assertThat(one.locations.all(now)).isEmpty();
    assertThat(one.locations.size()).isZero();
    Bridge three = new Bridge("three");
    two.told.forEach(three.replicas::merge);
    three.replicas.merge(late);
    assertThat(three.locations.all(now)).isEmpty();
  }

  @Test
  void aBindingThatExpiresIsNotToldAndIsGoneEverywhere() {
    one.register(binding("sip:a@h", "", 0, 1, 60));
    exchange();
    int told = one.told.size();
    now = now.plus(Duration.ofMinutes(1));
    one.locations.expire(now);
    two.locations.expire(now);
    assertThat(one.told).hasSize(told);
    assertThat(two.locations.size()).isZero();
  }

  @Test
  void aBridgeWhoseDirectoryDoesNotKnowAUserEndsOnlyWhatItHasWritten() {
    one.register(binding("sip:a@h", "", 0, 1, 600));
    exchange();
    two.locations.end("alice");
    exchange();
    assertThat(one.locations.all(now)).hasSize(1);
    one.locations.end("alice");
    exchange();
    assertThat(two.locations.size()).isZero();
  }
}
