package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.service.operations.OperationsAction;
import io.viaduct.snapt.control.DrainStatus;
import io.viaduct.usage.v1.DrainOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DrainsTest {
  @TempDir Path folder;
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void theBridgeIsToldAfterTheStateHasChangedAndNothingIfThatFails() throws Exception {
    List<DrainStatus> announced = new ArrayList<>();
    TestSnapt snapt =
        new TestSnapt(new TestOperator(folder.resolve("pki")), folder, 1, Duration.ofSeconds(30));
    Drains drains =
        new Drains(
            () -> snapt.control,
            () -> Instant.ofEpochMilli(1_000),
            () -> announced.add(snapt.control.drain().status()),
            registry);
    Map<String, OperationsAction> actions = drains.actions(Drains.Way.COMMAND);
    try (snapt) {
      for (int i = 0; i < 50; i++) { // a race would show in some of them
        actions.get(Drains.DRAIN).act("test", Map.of(Drains.DEADLINE, "4000000"));
        actions.get(Drains.UNDRAIN).act("test", Map.of());
      }
      assertThat(announced).hasSize(100);
      for (int i = 0; i < announced.size(); i++) {
        assertThat(announced.get(i).draining()).as("announcement %d", i).isEqualTo(i % 2 == 0);
      }
      assertThat(announced.getFirst().deadlineMs()).isEqualTo(4_001_000);
      announced.clear();
    }
    assertThatThrownBy(() -> actions.get(Drains.DRAIN).act("test", Map.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("stopping");
    assertThat(announced).isEmpty();
    assertThat(orders(Drains.Way.COMMAND)).isEqualTo(100);
  }

  private double orders(Drains.Way way) {
    return registry
        .get("viaduct_drain_orders")
        .tag("way", way.name().toLowerCase(java.util.Locale.ROOT))
        .counter()
        .count();
  }

  @Test
  void signalAndBridgeChangeTheSameStateAsTheCommandAndEachIsCounted() throws Exception {
    CountDownLatch announced = new CountDownLatch(2);
    TestSnapt snapt =
        new TestSnapt(new TestOperator(folder.resolve("pki")), folder, 1, Duration.ofSeconds(30));
    Drains drains =
        new Drains(
            () -> snapt.control, () -> Instant.ofEpochMilli(1_000), announced::countDown, registry);
    try (snapt) {
      drains.onSignal();
      assertThat(snapt.control.drain().status()).isEqualTo(new DrainStatus(true, 0));
      drains.onOrder(DrainOrder.newBuilder().setBy("olivia").build());
      assertThat(announced.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(snapt.control.drain().status()).isEqualTo(DrainStatus.SERVING);
    }
    drains.onSignal(); // the SNAPT is stopping: nothing is carried out, and nothing counted
    assertThat(orders(Drains.Way.SIGNAL)).isEqualTo(1);
    assertThat(orders(Drains.Way.BRIDGE)).isEqualTo(1);
    assertThat(orders(Drains.Way.REST)).isZero();
  }

  @Test
  void aSnaptThatIsNotEnrolledDrainsUntilItIsAgainAndAnOperatorsDrainStays() throws Exception {
    List<DrainStatus> announced = new CopyOnWriteArrayList<>();
    TestSnapt snapt =
        new TestSnapt(new TestOperator(folder.resolve("pki")), folder, 1, Duration.ofSeconds(30));
    Drains drains =
        new Drains(
            () -> snapt.control,
            () -> Instant.ofEpochMilli(1_000),
            () -> announced.add(snapt.control.drain().status()),
            registry);
    DrainStatus draining = new DrainStatus(true, 0);
    try (snapt) {
      drains.onEnrolment(true);
      drains.onEnrolment(false);
      drains.onEnrolment(false);
      await().until(() -> announced.size() == 1);
      drains.onEnrolment(false);
      drains.onEnrolment(true);
      await().until(() -> announced.size() == 2);
      assertThat(announced).containsExactly(draining, DrainStatus.SERVING);
      assertThat(orders(Drains.Way.ENROLMENT)).isEqualTo(2);
      drains.onSignal();
      drains.onEnrolment(false);
      drains.onEnrolment(true);
      drains.onOrder(DrainOrder.newBuilder().setBy("olivia").build()); // after those before it
      await().until(() -> announced.size() == 4);
      assertThat(announced.subList(2, 4)).containsExactly(draining, DrainStatus.SERVING);
      assertThat(orders(Drains.Way.ENROLMENT)).isEqualTo(2);
    }
  }

  @Test
  void ordersOfTheBridgeAreCarriedOutInTheirOrderAndOnesWithAnOddDeadlineNotAtAll()
      throws Exception {
    List<DrainStatus> announced = new CopyOnWriteArrayList<>();
    TestSnapt snapt =
        new TestSnapt(new TestOperator(folder.resolve("pki")), folder, 1, Duration.ofSeconds(30));
    Drains drains =
        new Drains(
            () -> snapt.control,
            () -> Instant.ofEpochMilli(1_000),
            () -> announced.add(snapt.control.drain().status()),
            registry);
    DrainOrder.Builder drain = DrainOrder.newBuilder().setBy("olivia").setDraining(true);
    try (snapt) {
      for (long odd : new long[] {-1, 1_000, 1_001 + Duration.ofDays(7).toMillis()}) {
        drains.onOrder(drain.setDeadlineMs(odd).build());
      }
      for (int i = 0; i < 100; i++) { // a race would show in some of them
        drains.onOrder(drain.setDeadlineMs(2_000).build());
        drains.onOrder(DrainOrder.newBuilder().setBy("olivia").build());
      }
      await().until(() -> announced.size() == 200);
      for (int i = 0; i < 200; i++) {
        assertThat(announced.get(i))
            .as("announcement %d", i)
            .isEqualTo(i % 2 == 0 ? new DrainStatus(true, 2_000) : DrainStatus.SERVING);
      }
      assertThat(orders(Drains.Way.BRIDGE)).isEqualTo(200);
    }
  }
}
