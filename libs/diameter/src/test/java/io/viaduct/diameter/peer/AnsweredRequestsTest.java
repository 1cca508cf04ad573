package io.viaduct.diameter.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.DiameterHeader;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.Messages;
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
  void anotherRequestWithTheSameIdentifierIsNoCopy() {
    answered.add(request(1), answer, 0);
    DiameterHeader header = request(1).header();
    assertThat(answered.find(Nodes.accounting(2).with(header))).as("another record").isNull();
    assertThat(answered.find(changed("Session-Id", "another;1;1"))).as("a session").isNull();
    assertThat(answered.find(request(1).with(of(header, 272, header.application())))).isNull();
    assertThat(answered.find(request(1).with(of(header, header.command(), 4)))).isNull();
    DiameterMessage credit = changed("CC-Request-Number", 0);
    answered.add(credit, answer, 0);
    assertThat(answered.find(credit)).isSameAs(answer);
    assertThat(answered.find(changed("CC-Request-Number", 1))).as("another request").isNull();
  }

  private static DiameterHeader of(DiameterHeader other, int command, long application) {
    return DiameterHeader.request(command, true, application).withEndToEnd(other.endToEnd());
  }

  private static DiameterMessage changed(String name, Object value) {
    AvpBuilder avps = new AvpBuilder(Messages.DICTIONARY);
    request(1).avps().avps().stream().filter(avp -> !avp.name().equals(name)).forEach(avps::add);
    if (value instanceof Integer number) {
      avps.add(name, number);
    } else {
      avps.add(name, value.toString());
    }
    return new DiameterMessage(request(1).header(), avps.build());
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
