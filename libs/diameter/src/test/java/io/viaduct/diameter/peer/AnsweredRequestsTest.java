package io.viaduct.diameter.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.diameter.message.DiameterMessage;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AnsweredRequestsTest {
  private final AnsweredRequests answered = new AnsweredRequests(3, 1000);
  private final CompletableFuture<DiameterMessage> answer = new CompletableFuture<>();

  private static DiameterMessage request(int endToEnd) {
    DiameterMessage request = Nodes.accounting(1);
    return request.with(request.header().withEndToEnd(endToEnd));
  }

  @Test
  void aCopyIsFoundUntilItsTimeIsOver() {
    answered.add(request(1), answer, 0);
    assertThat(answered.find(request(1))).isSameAs(answer);
    assertThat(answered.find(request(2))).isNull();
    answered.add(request(2), answer, 999);
    assertThat(answered.find(request(1))).isSameAs(answer);
    answered.add(request(3), answer, 1000);
    assertThat(answered.find(request(1))).isNull();
  }

  @Test
  void theOldestGivesWayAtTheLimit() {
    for (int i = 1; i <= 4; i++) {
      answered.add(request(i), answer, 0);
    }
    assertThat(answered.size()).isEqualTo(3);
    assertThat(answered.find(request(1))).isNull();
    assertThat(answered.find(request(4))).isSameAs(answer);
  }
}
