package io.viaduct.snapt.credit;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.UsedUnits;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class QuotasTest {
  @Test
  void everyApplicationGetsItsTurnAlsoIfARequestHasNoRoomForAllOfThem() {
    Quotas quotas = new Quotas();
    for (int i = 0; i < 10; i++) {
      quotas.of("app-" + i, ServiceClass.LT_HD);
    }
    TreeSet<String> told = new TreeSet<>();
    int turn = 0;
    for (int request = 0; request < 3; request++) {
      quotas.all().forEach(quota -> quota.count(100, 1)); // each has something to tell
      CreditRequest.Builder next = CreditRequest.newBuilder();
      turn = quotas.tell(next, 4, turn);
      assertThat(next.getUsedCount()).isEqualTo(4);
      List<String> names = next.getUsedList().stream().map(UsedUnits::getApplication).toList();
      told.addAll(names);
    }
    assertThat(told).hasSize(10);
  }
}
