package io.viaduct.diameter.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.peer.DiameterStatistics.Count;
import io.viaduct.diameter.peer.Nodes;
import io.viaduct.diameter.peer.PeerSettings;
import io.viaduct.service.storage.QueueException;
import io.viaduct.service.storage.QueueSettings;
import io.viaduct.service.storage.QueueStatistics.Fate;
import java.io.BufferedReader;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RequestQueueTest {
  private static final String CLIENT = "client.ims.test";
  private static final String SERVER = "server.ims.test";

  @TempDir Path directory;
  private final ServerSocket holder = new ServerSocket();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<DiameterMessage> got = new CopyOnWriteArrayList<>();
  private volatile int result = 2001;
  private InetSocketAddress address;

  RequestQueueTest() throws Exception {}

  @BeforeEach
  void reserve() throws Exception {
    address = Nodes.reserved(holder);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
    holder.close();
  }

  private <T extends AutoCloseable> T keep(T one) {
    open.add(one);
    return one;
  }

  private DiameterNode server() throws Exception {
    return keep(
        Nodes.server(
            SERVER,
            address,
            CLIENT,
            request -> {
              got.add(request);
              return CompletableFuture.completedFuture(Nodes.answer(request, SERVER, result));
            }));
  }

  private RequestQueue queue(int most) throws Exception {
    return queue(most, keep(Nodes.client(CLIENT, new PeerSettings(SERVER, address))));
  }

  private RequestQueue queue(int most, DiameterNode node) throws Exception {
    QueueSettings settings =
        new QueueSettings(directory.resolve("queue"), most, 2, Duration.ofMillis(50));
    return keep(RequestQueue.open(settings, node, Nodes.DICTIONARY));
  }

  private static void store(RequestQueue queue, int number) throws Exception {
    queue.add(Nodes.accounting(number)).get(20, TimeUnit.SECONDS);
  }

  private List<Long> numbers() {
    return got.stream()
        .map(request -> request.avps().number("Accounting-Record-Number").orElseThrow())
        .distinct()
        .toList();
  }

  @Test
  void requestsWaitOnDiskForAPeerAndArriveInTheirOrder() throws Exception {
    RequestQueue queue = queue(100);
    for (int i = 0; i < 5; i++) {
      store(queue, i);
    }
    await().until(() -> queue.statistics().of(Fate.RETRIED) > 0);
    assertThat(queue.statistics().waiting()).isEqualTo(5);
    server();
    await().until(() -> queue.statistics().waiting() == 0);
    assertThat(numbers()).containsExactly(0L, 1L, 2L, 3L, 4L);
    assertThat(queue.statistics().of(Fate.DELIVERED)).isEqualTo(5);
    assertThat(got)
        .as("none was sent before")
        .noneMatch(request -> request.header().retransmitted());
  }

  @Test
  void requestsOfAnEarlierStartAreSentWithTheTBitAndTheirOldIdentifier() throws Exception {
    RequestQueue queue = queue(100);
    store(queue, 7);
    await().until(() -> queue.statistics().of(Fate.RETRIED) > 0);
    queue.close();
    byte[] stored = Files.readAllBytes(directory.resolve("queue/%019d".formatted(1)));
    server();
    RequestQueue again = queue(100);
    await().until(() -> again.statistics().of(Fate.DELIVERED) == 1);
    assertThat(got.getFirst().header().retransmitted()).isTrue();
    assertThat(got.getFirst().header().endToEnd()).isEqualTo(ByteBuffer.wrap(stored).getInt(16));
    assertThat(directory.resolve("queue/%019d".formatted(1))).doesNotExist();
  }

  @Test
  void aSessionWhoseRecordHasNoAnswerHoldsUpNoOther() throws Exception {
    CompletableFuture<DiameterMessage> late = new CompletableFuture<>();
    keep(
        Nodes.server(
            SERVER,
            address,
            CLIENT,
            request -> {
              got.add(request);
              return session(request).equals("slow") && number(request) == 0
                  ? late
                  : CompletableFuture.completedFuture(Nodes.answer(request, SERVER, 2001));
            }));
    RequestQueue queue = queue(100);
    queue.add(Nodes.accounting("slow", 0)).get(20, TimeUnit.SECONDS);
    queue.add(Nodes.accounting("slow", 1)).get(20, TimeUnit.SECONDS);
    for (int i = 0; i < 20; i++) {
      queue.add(Nodes.accounting("quick " + i % 3, i)).get(20, TimeUnit.SECONDS);
    }
    await().until(() -> queue.statistics().of(Fate.DELIVERED) == 20);
    assertThat(recordsOf("slow")).as("the next one waits for it").containsExactly(0L);
    assertThat(recordsOf("quick 1")).isSorted().hasSize(7);
    late.complete(Nodes.answer(got.getFirst(), SERVER, 2001));
    await().until(() -> queue.statistics().waiting() == 0);
    assertThat(recordsOf("slow")).containsExactly(0L, 1L);
  }

  private static String session(DiameterMessage request) {
    return request.avps().text("Session-Id").orElseThrow();
  }

  private static long number(DiameterMessage request) {
    return request.avps().number("Accounting-Record-Number").orElseThrow();
  }

  /// Returns the numbers of a session's records as they came, without copies.
  private List<Long> recordsOf(String session) {
    return got.stream()
        .filter(request -> session(request).equals(session))
        .map(RequestQueueTest::number)
        .distinct()
        .toList();
  }

  @Test
  void aKilledProcessLosesNoRecordAndItsCopiesHaveTheTBit() throws Exception {
    Map<String, CompletableFuture<DiameterMessage>> held = new ConcurrentHashMap<>();
    DiameterNode first =
        keep(
            Nodes.server(
                SERVER,
                address,
                CLIENT,
                request -> {
                  got.add(request);
                  // Of each session the second record stays without an answer.
                  return number(request) % 2 == 1
                      ? held.computeIfAbsent(session(request), _ -> new CompletableFuture<>())
                      : CompletableFuture.completedFuture(Nodes.answer(request, SERVER, 2001));
                }));
    Process writer =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                QueueWriter.class.getName(),
                directory.resolve("queue").toString(),
                Integer.toString(address.getPort()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> stored = new ArrayList<>();
    try (BufferedReader lines = writer.inputReader()) {
      for (String line; (line = lines.readLine()) != null; ) {
        stored.add(line);
        if (stored.size() >= 60 && held.size() >= 2) {
          // SIGKILL that leaves its output open: what it has printed is stored too.
          var unused = writer.toHandle().destroyForcibly();
        }
      }
    } finally {
      writer.destroyForcibly().waitFor();
    }
    first.close();
    assertThat(held).isNotEmpty();
    int before = got.size();
    server();
    RequestQueue again = queue(10_000);
    await().until(() -> again.statistics().waiting() == 0);
    assertThat(got.stream().map(request -> session(request) + " " + number(request)))
        .containsAll(stored);
    for (int session = 0; session < QueueWriter.SESSIONS; session++) {
      assertThat(recordsOf(QueueWriter.session(session))).isSorted();
    }
    assertThat(got.subList(before, got.size()))
        .allMatch(request -> request.header().retransmitted());
  }

  @Test
  void aTransientFailureIsTriedAgainAndAPermanentOneIsSetAside() throws Exception {
    server();
    RequestQueue queue = queue(100);
    result = 4002;
    store(queue, 1);
    await().until(() -> got.size() >= 2);
    assertThat(queue.statistics().of(Fate.RETRIED)).isPositive();
    result = 2001;
    await().until(() -> queue.statistics().of(Fate.DELIVERED) == 1);
    result = 5012;
    store(queue, 2);
    await().until(() -> queue.statistics().of(Fate.REFUSED) == 1);
    assertThat(directory.resolve("queue/refused")).isDirectoryContaining("glob:**");
    assertThat(queue.statistics().waiting()).isZero();
    assertThat(got.size()).isGreaterThan(2);
    assertThat(got)
        .as("each copy was answered")
        .noneMatch(request -> request.header().retransmitted());
  }

  @Test
  void aRequestKeepsTheTBitThroughAnErrorIfAnotherCopyHadNoAnswer() throws Exception {
    String first = "first.ims.test";
    List<DiameterMessage> lost = new CopyOnWriteArrayList<>();
    DiameterNode silent =
        keep(
            Nodes.server(
                first,
                Nodes.loopback(0),
                CLIENT,
                request -> {
                  lost.add(request);
                  return new CompletableFuture<>();
                }));
    result = 4002;
    server();
    DiameterNode node =
        keep(
            Nodes.client(
                CLIENT, Nodes.peer(first, silent.port()), new PeerSettings(SERVER, address)));
    await().until(() -> node.statistics().of(Count.CONNECTED) == 2);
    RequestQueue queue = queue(100, node);
    store(queue, 1);
    await().until(() -> lost.size() == 1);
    silent.close(); // the request goes to the other peer, which is busy
    await().until(() -> queue.statistics().of(Fate.RETRIED) > 1);
    result = 2001;
    await().until(() -> queue.statistics().of(Fate.DELIVERED) == 1);
    assertThat(lost.getFirst().header().retransmitted()).isFalse();
    assertThat(got).hasSizeGreaterThan(2).allMatch(request -> request.header().retransmitted());
  }

  @Test
  void aRequestWhoseDestinationIsAwayGoesToAnyPeer() throws Exception {
    keep(
        Nodes.server(
            SERVER,
            address,
            CLIENT,
            request -> {
              got.add(request);
              boolean isForAnother = request.avps().has("Destination-Host");
              return CompletableFuture.completedFuture(
                  Nodes.answer(request, SERVER, isForAnother ? 3002 : 2001));
            }));
    RequestQueue queue = queue(100);
    DiameterMessage request = Nodes.accounting(1);
    AvpBuilder avps = new AvpBuilder(Nodes.DICTIONARY).addAll(request.avps());
    avps.add("Destination-Host", "away.ims.test");
    queue.add(new DiameterMessage(request.header(), avps.build())).get(20, TimeUnit.SECONDS);
    await().until(() -> queue.statistics().of(Fate.DELIVERED) == 1);
    assertThat(got.getFirst().avps().text("Destination-Host")).hasValue("away.ims.test");
    assertThat(got.getLast().avps()).isEqualTo(request.avps());
    assertThat(got.getLast().header().retransmitted())
        .as("the answer says that nothing has it")
        .isEqualTo(got.getFirst().header().retransmitted());
  }

  @Test
  void aFullQueueRefusesAndLosesNothing() throws Exception {
    RequestQueue queue = queue(3);
    for (int i = 0; i < 3; i++) {
      store(queue, i);
    }
    assertThatThrownBy(() -> store(queue, 3)).cause().isInstanceOf(QueueException.class);
    assertThat(queue.statistics().of(Fate.FULL)).isEqualTo(1);
    server();
    await().until(() -> queue.statistics().waiting() == 0);
    assertThat(numbers())
        .containsExactlyElementsOf(IntStream.range(0, 3).asLongStream().boxed().toList());
  }

  @Test
  void aQueueThatIsNearlyFullTakesTheFirstOnesOfABatch() throws Exception {
    RequestQueue queue = queue(3);
    store(queue, 0);
    List<DiameterMessage> batch = IntStream.range(1, 5).mapToObj(Nodes::accounting).toList();
    assertThat(queue.addAll(batch).get(20, TimeUnit.SECONDS)).isEqualTo(2);
    assertThatThrownBy(() -> queue.addAll(batch).get(20, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(QueueException.class);
    server();
    await().until(() -> queue.statistics().waiting() == 0);
    assertThat(numbers()).containsExactly(0L, 1L, 2L);
  }

  @Test
  void anEntryThatIsNoRequestDoesNotBlockTheOthers() throws Exception {
    Files.createDirectories(directory.resolve("queue"));
    Files.writeString(directory.resolve("queue/%019d".formatted(1)), "rubbish");
    server();
    RequestQueue queue = queue(100);
    store(queue, 2);
    await().until(() -> queue.statistics().of(Fate.DELIVERED) == 1);
    assertThat(queue.statistics().of(Fate.UNREADABLE)).isEqualTo(1);
    assertThat(directory.resolve("queue/refused/%019d".formatted(1))).hasContent("rubbish");
  }
}
