package io.viaduct.diameter.credit;

import io.viaduct.diameter.message.Answers;
import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.AvpGroup;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.NodeIdentity;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A credit-control answer.
///
/// @param resultCode of the whole request
/// @param grants services in their order; the only one of a message without
///   Multiple-Services-Credit-Control has neither Rating-Group nor Result-Code of its own
/// @param failureHandling what to do with a session whose server is silent, or empty
public record CreditAnswer(
    long resultCode, List<ServiceGrant> grants, Optional<FailureHandling> failureHandling) {
  /// Values of Credit-Control-Failure-Handling.
  public enum FailureHandling {
    TERMINATE,
    CONTINUE,
    RETRY_AND_TERMINATE
  }

  private static final FailureHandling[] HANDLINGS = FailureHandling.values();

  public CreditAnswer {
    grants = List.copyOf(grants);
  }

  public boolean isSuccess() {
    return resultCode / 1000 == 2;
  }

  /// Reads an answer. What is absent or unknown is empty.
  public static CreditAnswer of(DiameterMessage answer) {
    long handling = answer.avps().number("Credit-Control-Failure-Handling").orElse(-1);
    return new CreditAnswer(
        answer.resultCode().orElse(0),
        services(answer.avps(), "Granted-Service-Unit").map(ServiceGrant::of).toList(),
        handling >= 0 && handling < HANDLINGS.length
            ? Optional.of(HANDLINGS[(int) handling])
            : Optional.empty());
  }

  /// Returns the services of a request, for a server: those in Multiple-Services-Credit-Control, or
  /// else the only one, whose units stand in the request itself (RFC 8506 section 5.1.2).
  public static List<ServiceRequest> services(DiameterMessage request) {
    return services(request.avps(), "Requested-Service-Unit", "Used-Service-Unit")
        .map(ServiceRequest::of)
        .toList();
  }

  /// Returns true if the units of a request stand in Multiple-Services-Credit-Control.
  public static boolean hasMultipleServices(DiameterMessage request) {
    return request.avps().has(ServiceRequest.MULTIPLE);
  }

  private static Stream<AvpGroup> services(AvpGroup message, String... units) {
    return message.has(ServiceRequest.MULTIPLE)
        ? message.groups(ServiceRequest.MULTIPLE)
        : Stream.of(message).filter(single -> Stream.of(units).anyMatch(single::has));
  }

  /// Returns this answer as a message.
  ///
  /// @param answers of the server's node
  public DiameterMessage to(DiameterMessage request, Answers answers) {
    AvpBuilder avps = answers.begin(request.avps(), (int) resultCode);
    // Not copied: Kamailio's request has it only inside Vendor-Specific-Application-Id.
    avps.add("Auth-Application-Id", NodeIdentity.CREDIT_CONTROL);
    request.avps().all("CC-Request-Type").limit(1).forEach(avps::add);
    request.avps().all("CC-Request-Number").limit(1).forEach(avps::add);
    failureHandling.ifPresent(
        handling -> avps.add("Credit-Control-Failure-Handling", handling.name()));
    if (hasMultipleServices(request)) {
      grants.forEach(grant -> grant.writeTo(avps));
    } else {
      grants.forEach(grant -> grant.writeUnitsTo(avps));
    }
    return answers.of(request.header(), (int) resultCode, avps);
  }
}
