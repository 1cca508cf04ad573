package io.viaduct.sip.invite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class InviteServerTest {
  private final Timers timers = new Timers(Runnable::run);
  private final List<String> sent = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    timers.close();
  }

  @Test
  void ringingNeverLeavesAfterTheAcceptanceThatFollowsIt() throws Exception {
    Thread[] acceptance = new Thread[1];
    InviteServer[] server = new InviteServer[1];
    server[0] =
        server(response -> {
          if (response.equals("180")) {
            // While the 180 is on its way to the socket, another thread brings the 200.
            acceptance[0] = Thread.ofPlatform().start(() -> answer(server[0], 200));
            await().until(() -> hasNothingToDo(acceptance[0]));
          }
          sent.add(response);
        });

    answer(server[0], 180);
    acceptance[0].join();

    assertThat(sent).containsExactly("180", "200");
  }

  @Test
  void ringingThatComesAfterTheAcceptanceIsDropped() {
    InviteServer server = server(sent::add);

    answer(server, 200);
    answer(server, 180);
    answer(server, 200);

    assertThat(sent).containsExactly("200", "200");
  }

  private static boolean hasNothingToDo(Thread thread) {
    return thread.getState() == Thread.State.BLOCKED
        || thread.getState() == Thread.State.TERMINATED;
  }

  private InviteServer server(Consumer<String> socket) {
    return new InviteServer(
        timers,
        bytes -> socket.accept(new String(bytes, StandardCharsets.US_ASCII)),
        true,
        () -> {},
        () -> {});
  }

  private static void answer(InviteServer server, int status) {
    server.answer(Integer.toString(status).getBytes(StandardCharsets.US_ASCII), status);
  }
}
