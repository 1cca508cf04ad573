package io.viaduct.diameter.credit;

import io.viaduct.diameter.message.Answers;
import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.NodeIdentity;
import java.util.List;
import java.util.Optional;

/// A credit-control answer.
///
/// @param resultCode of the whole request
/// @param grants services in their order
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
        answer.avps().groups("Multiple-Services-Credit-Control").map(ServiceGrant::of).toList(),
        handling >= 0 && handling < HANDLINGS.length
            ? Optional.of(HANDLINGS[(int) handling])
            : Optional.empty());
  }

  /// Returns the services of a request, for a server.
  public static List<ServiceRequest> services(DiameterMessage request) {
    return request
        .avps()
        .groups("Multiple-Services-Credit-Control")
        .map(ServiceRequest::of)
        .toList();
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
    grants.forEach(grant -> grant.writeTo(avps));
    return answers.of(request.header(), (int) resultCode, avps);
  }
}
