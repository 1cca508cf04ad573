package io.viaduct.tunnel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.compound.CompoundFixture;
import io.viaduct.tunnel.wire.ServiceClass;
import org.junit.jupiter.api.Test;

class ClassQueuesTest {
  private static final int BOUND = 1 << 20;

  private static ClassQueues queues(int floorPercent) {
    return new ClassQueues(
        new int[] {BOUND, BOUND, BOUND, BOUND}, new StrictPriority(floorPercent));
  }

  private static void fill(ClassQueues queues, ServiceClass serviceClass, int count) {
    for (int i = 0; i < count; i++) {
      queues.add(CompoundFixture.of(serviceClass, 1000), 0);
    }
  }

  private static ServiceClass next(ClassQueues queues) {
    Compound compound = queues.peek();
    queues.take(compound, 0);
    return compound.serviceClass();
  }

  @Test
  void withoutAFloorPriorityIsStrict() {
    ClassQueues queues = queues(0);
    fill(queues, ServiceClass.HT_HD, 2);
    fill(queues, ServiceClass.LT_HD, 2);
    fill(queues, ServiceClass.HT_LD, 2);
    fill(queues, ServiceClass.LT_LD, 2);
    for (ServiceClass expected : ServiceClass.values()) {
      assertThat(next(queues)).isEqualTo(expected);
      assertThat(next(queues)).isEqualTo(expected);
    }
    assertThat(queues.isEmpty()).isTrue();
    assertThat(queues.peek()).isNull();
  }

  @Test
  void eachWaitingLowerClassGetsItsFloor() {
    ClassQueues queues = queues(10);
    fill(queues, ServiceClass.LT_LD, 1000);
    fill(queues, ServiceClass.HT_LD, 1000);
    fill(queues, ServiceClass.HT_HD, 1000);
    int[] served = new int[ServiceClass.COUNT];
    for (int i = 0; i < 900; i++) {
      served[next(queues).ordinal()]++;
    }
    assertThat(served[ServiceClass.HT_LD.ordinal()]).isBetween(65, 90);
    assertThat(served[ServiceClass.HT_HD.ordinal()]).isBetween(65, 100);
    assertThat(served[ServiceClass.LT_LD.ordinal()]).isGreaterThan(700);
  }

  @Test
  void aClassGetsOnlyItsFloorWhileAHigherClassHasAStandingQueue() {
    ClassQueues queues = queues(10);
    fill(queues, ServiceClass.HT_LD, 1);
    assertThat(queues.share(ServiceClass.HT_HD, 5, 5)).as("a short wait is a burst").isEqualTo(1);
    assertThat(queues.share(ServiceClass.HT_HD, 5, 6)).isEqualTo(0.1);
    assertThat(queues.share(ServiceClass.HT_LD, 5, 6)).as("its own queue").isEqualTo(1);
    assertThat(queues.share(ServiceClass.LT_LD, 5, 6)).as("a higher class").isEqualTo(1);
    next(queues);
    assertThat(queues.share(ServiceClass.HT_HD, 5, 6)).isEqualTo(1);
  }

  @Test
  void aClassThatDoesNotWaitEarnsNothing() {
    ClassQueues queues = queues(33);
    fill(queues, ServiceClass.LT_LD, 100);
    for (int i = 0; i < 100; i++) {
      next(queues);
    }
    fill(queues, ServiceClass.HT_HD, 1);
    fill(queues, ServiceClass.LT_LD, 1);
    assertThat(next(queues)).isEqualTo(ServiceClass.LT_LD);
  }

  @Test
  void aQueueIsBoundedInBytes() {
    ClassQueues queues = queues(5);
    fill(queues, ServiceClass.LT_HD, 1048);
    assertThat(queues.hasRoom(ServiceClass.LT_HD, 500)).isTrue();
    assertThat(queues.hasRoom(ServiceClass.LT_HD, 1000)).isFalse();
    assertThat(queues.hasRoom(ServiceClass.HT_HD, 1000)).isTrue();
  }
}
