package io.viaduct.sip.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.sip.transport.ResponseMemory.Key;
import io.viaduct.sip.transport.ResponseMemory.Seen;
import org.junit.jupiter.api.Test;

class ResponseMemoryTest {
  private static Key key(String branch) {
    return new Key("udp:10.0.0.1:5060", branch, "id", "1 REGISTER");
  }

  @Test
  void aRequestIsFirstThenInProgressThenAnswered() {
    ResponseMemory memory = new ResponseMemory(10);
    assertThat(memory.onRequest(key("a"), 0)).isInstanceOf(Seen.First.class);
    assertThat(memory.onRequest(key("a"), 1)).isInstanceOf(Seen.InProgress.class);
    memory.onResponse(key("a"), new byte[] {1});
    assertThat(memory.onRequest(key("a"), 2))
        .isInstanceOfSatisfying(
            Seen.Answered.class, seen -> assertThat(seen.response()).containsExactly(1));
  }

  @Test
  void afterTimerJItIsNewAgain() {
    ResponseMemory memory = new ResponseMemory(10);
    memory.onRequest(key("a"), 0);
    assertThat(memory.onRequest(key("a"), 31_999)).isInstanceOf(Seen.InProgress.class);
    assertThat(memory.onRequest(key("a"), 32_000)).isInstanceOf(Seen.First.class);
  }

  @Test
  void aFullMemoryForgetsTheOldest() {
    ResponseMemory memory = new ResponseMemory(3);
    for (String branch : new String[] {"a", "b", "c", "d"}) {
      memory.onRequest(key(branch), 0);
    }
    assertThat(memory.size()).isEqualTo(3);
    assertThat(memory.onRequest(key("d"), 0)).isInstanceOf(Seen.InProgress.class);
    assertThat(memory.onRequest(key("a"), 0)).isInstanceOf(Seen.First.class);
  }
}
