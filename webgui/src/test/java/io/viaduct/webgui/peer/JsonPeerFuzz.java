package io.viaduct.webgui.peer;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.ChargeQuery;
import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.ReportQuery;
import io.viaduct.webgui.billing.TopUp;
import io.viaduct.webgui.bridge.SnaptDirectory;
import io.viaduct.webgui.page.Display;
import io.viaduct.webgui.peer.PeerAwayException.Reason;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Answers of billing and bridge. Input: one octet that says to which request, one that says with
/// which status, the body. Rules: a value or one of the three exceptions, the one that fits the
/// status; each failure is counted once; a value is whole: nothing is missing that its record
/// promises, and everything that a page asks of it can be said and shown.
final class JsonPeerFuzz {
  private static final int ANSWER_BYTES = 4096;
  private static final int DETAIL_MAX = 300;
  private static final BearerToken TOKEN = new BearerToken("t");
  private static final ReportQuery ALL = new ReportQuery(null, null, null, null);
  private static final Display DISPLAY = new Display();
  private static final int[] STATUS = {200, 201, 204, 299, 302, 400, 401, 404, 409, 429, 500, 599};

  private static final List<BiFunction<Billing, SnaptDirectory, @Nullable Object>> REQUESTS =
      List.of(
          (billing, _) -> billing.openSession("alice", "p", "192.0.2.1", ""),
          (billing, _) -> billing.account(TOKEN, "alice"),
          (billing, _) -> billing.devices(TOKEN, "alice"),
          (billing, _) -> billing.credit(TOKEN, "alice"),
          (billing, _) -> billing.charges(TOKEN, "alice", ChargeQuery.newest(5)),
          (billing, _) -> billing.charge(TOKEN, "7"),
          (billing, _) -> billing.refusedReports(TOKEN, ALL, 5, null),
          (billing, _) -> billing.sequenceGaps(TOKEN, 5, null),
          (billing, _) -> {
            billing.topUp(TOKEN, "alice", new UUID(1, 2), new TopUp(new MicroDenarii(5), "r"));
            return null;
          },
          (billing, _) -> {
            billing.closeSession(TOKEN);
            return null;
          },
          (_, directory) -> directory.snapts());
  private static final Set<Integer> ASKED_FOR_NOTHING = Set.of(8, 9);
  private static final int OF_THE_BRIDGE = 10;

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 2) {
      return;
    }
    int which = (input[0] & 0xFF) % REQUESTS.size();
    int status = STATUS[(input[1] & 0xFF) % STATUS.length];
    byte[] body = Arrays.copyOfRange(input, 2, input.length);
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    JsonPeer peer =
        new JsonPeer(
            which == OF_THE_BRIDGE ? PeerName.BRIDGE : PeerName.BILLING,
            URI.create("http://peer"),
            Duration.ofSeconds(1),
            ANSWER_BYTES,
            meters,
            new GivenAnswer(status, body));
    double failures = 0;
    try {
      Object value = REQUESTS.get(which).apply(new Billing(peer), new SnaptDirectory(peer, TOKEN));
      require(status / 100 == 2, status + " is a value: " + value);
      require(value != null || ASKED_FOR_NOTHING.contains(which), "no value for " + status);
      if (value != null) {
        whole(value);
      }
    } catch (PeerAwayException e) {
      failures = 1;
      require(fits(e.reason(), status, which), status + " is " + e.getMessage());
    } catch (SessionEndedException e) {
      require(status == 401 && which != OF_THE_BRIDGE, status + " ends the session");
    } catch (PeerRefusedException e) {
      require(
          e.status() == status
              && status >= 400
              && status < 500
              && status != 401
              && which != OF_THE_BRIDGE
              && e.detail().length() <= DETAIL_MAX,
          status + " refuses: " + e.getMessage());
    }
    double counted =
        meters.find("viaduct_webgui_peer_failures").counters().stream()
            .mapToDouble(counter -> counter.count())
            .sum();
    require(counted == failures, counted + " failures counted, must be " + failures);
  }

  private static boolean fits(Reason reason, int status, int which) {
    return switch (reason) {
      case UNREADABLE ->
          true; // an answer that is too long is not read further, whatever its status
      case FAILED -> status >= 500;
      case MISCONFIGURED -> status / 100 == 3 || (which == OF_THE_BRIDGE && status / 100 == 4);
      case UNREACHABLE, TIMEOUT -> false;
    };
  }

  /// Fails if a record or a list holds null where its type forbids it; no caller checks that again.
  private static void whole(Object value) {
    if (value instanceof List<?> list) {
      list.forEach(JsonPeerFuzz::whole);
    } else if (value instanceof Record part) {
      for (RecordComponent component : part.getClass().getRecordComponents()) {
        Object content = said(part, component.getAccessor());
        require(
            content != null || component.getAnnotatedType().isAnnotationPresent(Nullable.class),
            component.getName() + " is missing in " + part);
        if (content != null) {
          whole(content);
        }
      }
      for (Method method : part.getClass().getDeclaredMethods()) {
        if (method.getParameterCount() == 0 && Modifier.isPublic(method.getModifiers())) {
          said(part, method);
        }
      }
    }
    show(value);
  }

  private static @Nullable Object said(Record part, Method method) {
    try {
      method.setAccessible(true);
      return method.invoke(part);
    } catch (InvocationTargetException e) {
      throw new AssertionError(method + " of " + part, e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void show(Object value) {
    switch (value) {
      case Long number -> {
        DISPLAY.whole(number);
        DISPLAY.bytes(number);
        DISPLAY.duration(number);
      }
      case Double number -> {
        DISPLAY.tenths(number);
        DISPLAY.significant(number);
        DISPLAY.quantity(number, "den/vu");
        DISPLAY.delay(number);
        DISPLAY.kilobitRate(number);
        DISPLAY.percentOfRatio(number);
        DISPLAY.bitRate(number);
      }
      case MicroDenarii amount -> {
        DISPLAY.money(amount);
        DISPLAY.deducted(amount);
        DISPLAY.exact(amount);
        DISPLAY.perMinute(amount, 1L);
        DISPLAY.perMegabyte(amount, 1);
      }
      case Instant time -> DISPLAY.time(time);
      case String text -> {
        DISPLAY.serviceClass(text);
        DISPLAY.protocol(text);
      }
      default -> {}
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  private static byte[] input(int which, int status, String body) {
    byte[] text = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    byte[] input = new byte[2 + text.length];
    input[0] = (byte) which;
    input[1] = (byte) Arrays.binarySearch(STATUS, status);
    System.arraycopy(text, 0, input, 2, text.length);
    return input;
  }

  static List<byte[]> seeds() {
    String charge =
        "{'id':'7','account':'alice','start':'2026-11-20T10:00:00Z','preBytes':'2550000',"
            + "'postBytes':5,'savedBytes':-1,'delayMs':1e3,'loss':0.5,'chargeMicrodenarii':'5',"
            + "'discountMicrodenarii':'-9223372036854775808','netMicrodenarii':'0','more':[{}]}";
    String expires = "'expiresAt':'2999-01-01T00:00:00Z'}";
    String caps = ",'caps':{'spentTodayMicrodenarii':'1','spentThisMonthMicrodenarii':'2'}";
    String credit =
        "{'balanceMicrodenarii':'5','limitMicrodenarii':'0','reservedMicrodenarii':'0',"
            + "'spentLastHourMicrodenarii':'7','lastsSeconds':60,'availableMicrodenarii':'";
    List<byte[]> seeds =
        new ArrayList<>(
            List.of(
                input(0, 201, "{'token':'t','user':'alice','role':'user'," + expires),
                input(0, 201, "{'token':'two words','user':'alice','role':'user'," + expires),
                input(0, 201, "{'token':'t','user':'alice'," + expires),
                input(1, 200, "{'id':'alice','displayName':'Alice'}"),
                input(1, 200, "null"),
                input(1, 200, "{'id':null}"),
                input(2, 200, "{'accounts':[{'id':'alice'}],'next':'c'}"),
                input(2, 200, "{'accounts':[null]}"),
                input(3, 200, credit + "5'" + caps + "}"),
                input(3, 200, credit + "-9223372036854775808'" + caps + "}"),
                input(3, 200, credit + "5'}"),
                input(4, 200, "{'charges':[" + charge + "]}"),
                input(4, 200, "{}"),
                input(5, 200, charge),
                input(6, 200, "{'refused':[{'receivedAt':1e300,'reason':'r'}]}"),
                input(7, 200, "{'gaps':[{'from':1,'to':2,'seenAt':'2026-01-01T00:00:00Z'}]}"),
                input(8, 204, ""),
                input(9, 204, ""),
                input(10, 200, "{'snapts':[{'id':'s','upBitPerSecond':'NaN','state':'up'}]}"),
                input(10, 200, "{'snapts':null}"),
                input(10, 401, ""),
                input(1, 401, "{'detail':'log in'}"),
                input(8, 409, "{'detail':'" + "x".repeat(DETAIL_MAX + 1) + "'}"),
                input(8, 429, "{'title':{'a':1}}"),
                input(8, 302, "")));
    seeds.add(input(2, 200, "[" + "1,".repeat(ANSWER_BYTES) + "1]"));
    return seeds;
  }
}
