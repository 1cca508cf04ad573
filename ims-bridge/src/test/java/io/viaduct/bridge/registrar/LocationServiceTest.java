package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.registrar.LocationService.Outcome;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LocationServiceTest {
  private static final SipFlow FLOW =
      new SipFlow(Transport.UDP, new InetSocketAddress("192.0.2.1", 5060));
  private static final Instant BEGIN = Instant.ofEpochSecond(1_800_000_000);
  private static final int CONTACTS_MAX = 3;
  private static final int BINDINGS_MAX = 12;

  /// A slow, obvious model: one list, and no limit but those of the table.
  private static final class Oracle {
    private final List<Binding> all = new ArrayList<>();

    Outcome update(Binding change, Instant now) {
      List<Binding> of = of(change.user(), now);
      for (Binding each : of) {
        if (each.isReplacedBy(change) && !each.isBefore(change.callId(), change.cseq())) {
          return Outcome.OUT_OF_ORDER;
        }
      }
      List<Binding> next = new ArrayList<>(all);
      next.removeIf(each -> each.user().equals(change.user()) && !each.isLive(now));
      next.removeIf(each -> each.user().equals(change.user()) && each.isReplacedBy(change));
      if (change.isLive(now)) {
        next.add(change);
      }
      if (next.stream().filter(each -> each.user().equals(change.user())).count() > CONTACTS_MAX) {
        return Outcome.TOO_MANY_CONTACTS;
      }
      if (next.size() > BINDINGS_MAX && next.size() > all.size()) {
        return Outcome.TOO_MANY_BINDINGS;
      }
      all.clear();
      all.addAll(next);
      return Outcome.DONE;
    }

    List<Binding> of(String user, Instant now) {
      return all.stream().filter(b -> b.user().equals(user) && b.isLive(now)).toList();
    }
  }

  @Test
  void everyHistoryHasTheBindingsOfAnObviousModel() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      LocationService locations = new LocationService(CONTACTS_MAX, BINDINGS_MAX);
      Oracle oracle = new Oracle();
      Instant now = BEGIN;
      for (int step = 0; step < 100; step++) {
        String about = "seed %d, step %d".formatted(seed, step);
        now = now.plusSeconds(random.nextInt(20));
        Instant then = now;
        String user = "user" + random.nextInt(6);
        switch (random.nextInt(6)) {
          case 0 -> {
            locations.expire(now);
            oracle.all.removeIf(each -> !each.isLive(then));
            assertThat(locations.size()).as(about).isEqualTo(oracle.all.size());
          }
          case 1 -> {
            locations.end(user);
            oracle.all.removeIf(each -> each.user().equals(user));
          }
          default -> {
            Binding change = binding(user, random.nextInt(5), step, now, 60L * random.nextInt(4));
            assertThat(locations.update(user, List.of(change), now))
                .as(about)
                .isEqualTo(oracle.update(change, now));
          }
        }
        for (int i = 0; i < 6; i++) {
          assertThat(locations.bindings("user" + i, now))
              .as(about)
              .containsExactlyInAnyOrderElementsOf(oracle.of("user" + i, now));
        }
        assertThat(locations.all(now))
            .as(about)
            .isSortedAccordingTo(
                Comparator.comparing(Binding::user).thenComparing(Binding::contact));
      }
    }
  }

  @Test
  void aConnectionIsInUseUntilItsLastBindingEndsOrMoves() {
    LocationService locations = new LocationService(CONTACTS_MAX, BINDINGS_MAX);
    SipFlow one = new SipFlow(Transport.TLS, new InetSocketAddress("192.0.2.1", 40_001));
    SipFlow other = new SipFlow(Transport.TLS, new InetSocketAddress("192.0.2.1", 40_002));
    locations.update("alice", List.of(binding("alice", 1, one, 1, BEGIN, 60)), BEGIN);
    locations.update("bob", List.of(binding("bob", 1, one, 1, BEGIN, 120)), BEGIN);
    locations.update("alice", List.of(binding("alice", 1, other, 2, BEGIN, 60)), BEGIN);
    assertThat(locations.uses(one)).as("bob's").isTrue();
    assertThat(locations.uses(other)).as("alice has moved there").isTrue();

    locations.expire(BEGIN.plusSeconds(61));
    assertThat(locations.uses(one)).isTrue();
    assertThat(locations.uses(other)).isFalse();
    locations.expire(BEGIN.plusSeconds(121));
    assertThat(locations.uses(one)).isFalse();
  }

  @Test
  void changesOfManyThreadsKeepTheLimitAndLeaveNothingBehind() throws Exception {
    int limit = 50;
    LocationService locations = new LocationService(CONTACTS_MAX, limit);
    List<Future<?>> running = new ArrayList<>();
    try (var threads = Executors.newFixedThreadPool(4)) {
      for (int thread = 0; thread < 4; thread++) {
        int seed = thread;
        running.add(
            threads.submit(() -> {
              Random random = new Random(seed);
              for (int i = 0; i < 5_000; i++) {
                String user = "user" + random.nextInt(40);
                long seconds = random.nextBoolean() ? 60 : 0;
                Binding change = binding(user, random.nextInt(3), i, BEGIN, seconds);
                locations.update(user, List.of(change), BEGIN);
              }
            }));
      }
    }
    for (Future<?> each : running) {
      each.get();
    }

    assertThat(locations.size()).isEqualTo(locations.all(BEGIN).size()).isLessThanOrEqualTo(limit);
    locations.expire(BEGIN.plusSeconds(60));
    assertThat(locations.size()).isZero();
    assertThat(locations.all(BEGIN)).isEmpty();
  }

  static Binding binding(String user, int contact, long cseq, Instant now, long expiresSeconds) {
    return binding(user, contact, FLOW, cseq, now, expiresSeconds);
  }

  private static Binding binding(
      String user, int contact, SipFlow flow, long cseq, Instant now, long expiresSeconds) {
    return new Binding(
        user,
        "sip:%s@192.0.2.%d".formatted(user, contact),
        "",
        flow,
        "call-" + contact,
        cseq,
        now,
        now.plusSeconds(expiresSeconds),
        1000,
        Set.of(),
        0,
        List.of(),
        Locale.ENGLISH,
        Optional.empty());
  }
}
