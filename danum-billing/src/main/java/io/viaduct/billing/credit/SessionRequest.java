package io.viaduct.billing.credit;

import io.viaduct.billing.rating.Use;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.UsedUnits;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/// A valid request for credit.
///
/// @param number number of the request within the session
/// @param isLast true if the session has ended
/// @param used use of each application that asks or has used something, by the priority of its
///   class
record SessionRequest(
    SessionKey session, String account, long number, boolean isLast, List<UsedByApplication> used) {
  /// Most applications of one session at a time, in all classes. The table of a device has some 20
  /// names, and 255 at most.
  static final int APPLICATIONS_MAX = 256;

  /// Most applications of one request.
  private static final int REQUEST_MAX = 64;

  /// Largest count: sums of such counts do not overflow.
  private static final long COUNT_MAX = 1L << 50;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Pattern APPLICATION = Pattern.compile("[a-z0-9._-]{1,64}");

  /// Reads a request.
  ///
  /// @throws RequestRefusedException naming the field, the value and the rule
  static SessionRequest read(CreditRequest request) {
    require(NAME, "snapt_id", request.getSnaptId());
    require(NAME, "session_id", request.getSessionId());
    require(NAME, "account", request.getAccount());
    if (request.getNumber() < 1) {
      throw new RequestRefusedException("number must be 1 or more, got " + request.getNumber());
    }
    if (request.getUsedCount() > REQUEST_MAX) {
      throw new RequestRefusedException(
          "a request has at most %d applications, got %d"
              .formatted(REQUEST_MAX, request.getUsedCount()));
    }
    long totalMs = count("total_ms", request.getTotalMs());
    List<UsedByApplication> used =
        request.getUsedList().stream()
            .map(units -> used(units, totalMs))
            .sorted(Comparator.comparing(UsedByApplication::application))
            .toList();
    if (used.stream().map(UsedByApplication::application).distinct().count() < used.size()) {
      throw new RequestRefusedException("a request names each application and class once");
    }
    return new SessionRequest(
        new SessionKey(request.getSnaptId(), request.getSessionId()),
        request.getAccount(),
        request.getNumber(),
        isLast(request.getType()),
        used);
  }

  private static boolean isLast(CreditRequestType type) {
    return switch (type) {
      case INITIAL, UPDATE -> false;
      case TERMINATION -> true;
      case CREDIT_REQUEST_TYPE_UNSPECIFIED, UNRECOGNIZED ->
          throw new RequestRefusedException("type must be INITIAL, UPDATE or TERMINATION");
    };
  }

  // A SNAPT that does not tell times gets the price of bytes.
  private static UsedByApplication used(UsedUnits units, long totalMs) {
    require(APPLICATION, "application", units.getApplication());
    long bytes = count("total_bytes", units.getTotalBytes());
    double rate = units.getBytesPerSecond();
    if (!(rate >= 0 && rate <= COUNT_MAX)) {
      throw new RequestRefusedException(
          "bytes_per_second must be 0 to %d, got %s".formatted(COUNT_MAX, rate));
    }
    return new UsedByApplication(
        new Application(units.getApplication(), serviceClass(units)),
        new Use(
            bytes,
            time(count("total_flow_ms", units.getTotalFlowMs()), bytes),
            time(totalMs, bytes)),
        rate,
        Integer.toUnsignedLong(units.getFlows()));
  }

  private static long time(long ms, long bytes) {
    return ms == 0 && bytes > 0 ? Use.UNKNOWN_MS : ms;
  }

  private static ServiceClass serviceClass(UsedUnits units) {
    return switch (units.getServiceClass()) {
      case LT_LD -> ServiceClass.LT_LD;
      case HT_LD -> ServiceClass.HT_LD;
      case LT_HD -> ServiceClass.LT_HD;
      case HT_HD -> ServiceClass.HT_HD;
      case SERVICE_CLASS_UNSPECIFIED, UNRECOGNIZED ->
          throw new RequestRefusedException(
              "service_class must be 1 to 4, got " + units.getServiceClassValue());
    };
  }

  private static long count(String field, long value) {
    if (value < 0 || value > COUNT_MAX) {
      throw new RequestRefusedException(
          "%s must be 0 to %d, got %s".formatted(field, COUNT_MAX, Long.toUnsignedString(value)));
    }
    return value;
  }

  private static void require(Pattern pattern, String field, String value) {
    if (!pattern.matcher(value).matches()) {
      throw new RequestRefusedException(
          "%s must match %s, got %d characters".formatted(field, pattern, value.length()));
    }
  }
}
