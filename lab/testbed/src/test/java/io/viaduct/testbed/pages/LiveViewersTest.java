package io.viaduct.testbed.pages;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.testbed.process.ProcessUsage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.CookieManager;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/// Many live home pages, each of an account of its own that is charged once: how soon a page shows
/// the change, and what billing, its database and the pages take for it. The viewers are in this
/// process. Writes `target/viewers.txt`: `./viaduct bench viewers`. The properties `viewers` and
/// `viewers.seconds` say how many and for how long.
@Timeout(900)
class LiveViewersTest {
  private static final double LATE_MS = 5_000;

  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger reopened = new AtomicInteger();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final ConcurrentLinkedQueue<Long> delays = new ConcurrentLinkedQueue<>();

  @TempDir Path directory;

  @Test
  void eachViewerSeesItsChangeSoonAndNoneIsLost() throws Exception {
    int viewers = Integer.getInteger("viewers", 50);
    int seconds = Integer.getInteger("viewers.seconds", 5);
    String limits = "limits: {streams: 2000, streams-per-session: 100, stream-lifetime: 1h}";
    try (RunningPages pages = new RunningPages(directory, limits)) {
      openAccounts(pages.database(), viewers);
      AtomicLongArray changedAt = new AtomicLongArray(viewers);
      int perSession = 50;
      for (int from = 0; from < viewers; from += perSession) {
        HttpClient session = logIn(pages);
        for (int i = from; i < Math.min(viewers, from + perSession); i++) {
          watch(pages, session, i, changedAt);
        }
      }
      Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> open.get() == viewers);
      ChargeListener billing = pages.part(ChargeListener.class);
      long before = System.nanoTime();
      double pagesCpu = ProcessUsage.cpuSeconds(List.of(pages.pagesProcess()));
      double machine = ProcessUsage.machineSeconds();
      long paceNs = TimeUnit.SECONDS.toNanos(seconds) / viewers;
      for (int viewer = 0; viewer < viewers; viewer++) {
        changedAt.set(viewer, System.nanoTime());
        String account = "viewer-" + viewer;
        billing.changed(account, ManyCharges.addOne(pages.database(), account, viewer + 1));
        LockSupport.parkNanos(before + (viewer + 1) * paceNs - System.nanoTime());
      }
      Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> delays.size() >= viewers);
      double took = (System.nanoTime() - before) / 1e9;
      report(
          viewers,
          (ProcessUsage.cpuSeconds(List.of(pages.pagesProcess())) - pagesCpu) / took,
          (ProcessUsage.machineSeconds() - machine) / took);
      isOver.set(true);
      assertThat(delays).as("every change is shown").hasSizeGreaterThanOrEqualTo(viewers);
    }
  }

  private static void openAccounts(JdbcTemplate database, int viewers) {
    database.update(
        """
        insert into account (id, role, display_name, password_hash, created_at)
        select 'viewer-' || i, 'user', 'Viewer ' || i, 'x', now() from generate_series(0, ?) i
        """,
        viewers - 1);
    database.update(
        """
        insert into ledger_account (name, kind, created_at)
        select 'USER:viewer-' || i, 'USER', now() from generate_series(0, ?) i on conflict do nothing
        """,
        viewers - 1);
  }

  private static HttpClient logIn(RunningPages pages) throws Exception {
    HttpClient browser = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    String form =
        browser
            .send(
                HttpRequest.newBuilder(pages.address().resolve("/login")).build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    Matcher csrf = Pattern.compile("name=\"_csrf\"[^>]*value=\"([^\"]*)\"").matcher(form);
    assertThat(csrf.find()).isTrue();
    String body =
        "username=operator&password=%s&_csrf=%s"
            .formatted(
                RunningPages.OPERATOR_PASSWORD,
                URLEncoder.encode(csrf.group(1), StandardCharsets.UTF_8));
    HttpResponse<String> answer =
        browser.send(
            HttpRequest.newBuilder(pages.address().resolve("/login"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.headers().firstValue("Location").orElse("")).doesNotContain("problem");
    return browser;
  }

  /// Reads one live page. Its first update shows the present state; each one after a change ends
  /// the wait for it.
  private void watch(
      RunningPages pages, HttpClient session, int viewer, AtomicLongArray changedAt) {
    HttpRequest request =
        HttpRequest.newBuilder(
                pages.address().resolve("/accounts/viewer-" + viewer + "/events?rows=10"))
            .header("Accept", "text/event-stream")
            .build();
    AtomicBoolean isFirst = new AtomicBoolean(true);
    Thread.ofVirtual()
        .start(() -> {
          // As a browser does: a stream that was refused or has ended is opened again.
          while (!isOver.get()) {
            try {
              read(
                  session.send(request, HttpResponse.BodyHandlers.ofInputStream()),
                  viewer,
                  isFirst,
                  changedAt);
            } catch (IOException e) {
              reopened.incrementAndGet();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              return;
            }
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
          }
        });
  }

  private void read(
      HttpResponse<InputStream> stream,
      int viewer,
      AtomicBoolean isFirst,
      AtomicLongArray changedAt)
      throws IOException {
    try (var lines =
        new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals("event:update") && isFirst.compareAndSet(true, false)) {
          open.incrementAndGet();
        } else if (line.startsWith("data:<div id=\"balance\"")) {
          long at = changedAt.getAndSet(viewer, 0);
          if (at != 0) {
            delays.add(System.nanoTime() - at);
          }
        }
      }
    }
  }

  private double quantile(double part) {
    long[] sorted = delays.stream().mapToLong(Long::longValue).sorted().toArray();
    return sorted[(int) Math.min(sorted.length - 1, Math.floor(part * sorted.length))] / 1e6;
  }

  private void report(int viewers, double pages, double machine) throws IOException {
    String text =
        String.format(
            Locale.ROOT,
            "%d live viewers, a change each: shown after %.0f ms (median), %.0f ms (99 %%), %.0f ms (most);"
                + " cores: %.2f the pages, %.2f the whole machine%n",
            viewers,
            quantile(0.5),
            quantile(0.99),
            quantile(1),
            pages,
            machine);
    Files.writeString(Path.of("target/viewers.txt"), text);
  }
}
