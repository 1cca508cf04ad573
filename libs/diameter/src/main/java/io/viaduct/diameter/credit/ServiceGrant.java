package io.viaduct.diameter.credit;

import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.AvpGroup;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/// One service of a credit-control answer.
///
/// @param ratingGroup Rating-Group, or empty
/// @param service Service-Identifier, or empty
/// @param resultCode of this service: 2001, 4012 CREDIT_LIMIT_REACHED, 5031 RATING_FAILED
/// @param granted units that may be used, or empty
/// @param validity time after which the grant must be renewed, or empty
/// @param octetThreshold Volume-Quota-Threshold: ask again when so few octets are left, or empty
/// @param finalUnit present if these are the last units
public record ServiceGrant(
    OptionalLong ratingGroup,
    OptionalLong service,
    long resultCode,
    Optional<ServiceUnits> granted,
    Optional<Duration> validity,
    OptionalLong octetThreshold,
    Optional<FinalUnit> finalUnit) {
  private static final long SUCCESS = 2001;

  /// Returns true if the service may go on.
  public boolean isGranted() {
    return resultCode / 1000 == 2 && granted.isPresent();
  }

  /// Returns the grant of a service.
  ///
  /// @param request the service's request, whose identifiers the grant repeats
  public static ServiceGrant of(
      ServiceRequest request,
      ServiceUnits units,
      Optional<Duration> validity,
      Optional<FinalUnit> finalUnit) {
    return new ServiceGrant(
        request.ratingGroup(),
        request.service(),
        SUCCESS,
        Optional.of(units),
        validity,
        OptionalLong.empty(),
        finalUnit);
  }

  /// Returns the refusal of a service.
  public static ServiceGrant refused(ServiceRequest request, long resultCode) {
    return new ServiceGrant(
        request.ratingGroup(),
        request.service(),
        resultCode,
        Optional.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        Optional.empty());
  }

  static ServiceGrant of(AvpGroup group) {
    OptionalLong validity = group.number("Validity-Time");
    return new ServiceGrant(
        group.number("Rating-Group"),
        group.number("Service-Identifier"),
        group.number("Result-Code").orElse(SUCCESS),
        group.group("Granted-Service-Unit").map(ServiceUnits::of),
        validity.isPresent()
            ? Optional.of(Duration.ofSeconds(validity.getAsLong()))
            : Optional.empty(),
        group.number("Volume-Quota-Threshold"),
        group.group("Final-Unit-Indication").map(FinalUnit::of));
  }

  void writeTo(AvpBuilder answer) {
    answer.group(
        ServiceRequest.MULTIPLE,
        group -> {
          granted.ifPresent(units -> group.group("Granted-Service-Unit", units::writeTo));
          service.ifPresent(value -> group.add("Service-Identifier", value));
          ratingGroup.ifPresent(value -> group.add("Rating-Group", value));
          validity.ifPresent(time -> group.add("Validity-Time", time.toSeconds()));
          group.add("Result-Code", resultCode);
          finalUnit.ifPresent(last -> last.writeTo(group));
          octetThreshold.ifPresent(octets -> group.add("Volume-Quota-Threshold", octets));
        });
  }

  /// Adds the units of the only service to the answer itself. The Result-Code is that of the
  /// answer.
  void writeUnitsTo(AvpBuilder answer) {
    granted.ifPresent(units -> answer.group("Granted-Service-Unit", units::writeTo));
    finalUnit.ifPresent(last -> last.writeTo(answer));
    validity.ifPresent(time -> answer.add("Validity-Time", time.toSeconds()));
  }
}
