package io.viaduct.diameter.credit;

import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.AvpGroup;
import java.util.Optional;
import java.util.OptionalLong;

/// One service of a credit-control request.
///
/// @param ratingGroup Rating-Group, or empty
/// @param service Service-Identifier, or empty
/// @param requested wanted units, or empty if none are wanted
/// @param used units since the last request, or empty
/// @param reason Reporting-Reason of the used units, such as 3 for an exhausted quota; or empty
public record ServiceRequest(
    OptionalLong ratingGroup,
    OptionalLong service,
    Optional<ServiceUnits> requested,
    Optional<ServiceUnits> used,
    OptionalLong reason) {
  static final String MULTIPLE = "Multiple-Services-Credit-Control";

  /// Returns a first request of a service.
  public static ServiceRequest wanted(long ratingGroup, ServiceUnits requested) {
    return new ServiceRequest(
        OptionalLong.of(ratingGroup),
        OptionalLong.empty(),
        Optional.of(requested),
        Optional.empty(),
        OptionalLong.empty());
  }

  /// Returns a report of a service that wants no more.
  public static ServiceRequest ended(long ratingGroup, ServiceUnits used) {
    return new ServiceRequest(
        OptionalLong.of(ratingGroup),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.of(used),
        OptionalLong.empty());
  }

  /// Returns the same request with used units.
  public ServiceRequest withUsed(ServiceUnits units, long reportingReason) {
    return new ServiceRequest(
        ratingGroup, service, requested, Optional.of(units), OptionalLong.of(reportingReason));
  }

  static ServiceRequest of(AvpGroup group) {
    Optional<AvpGroup> used = group.group("Used-Service-Unit");
    OptionalLong inside =
        used.map(units -> units.number("Reporting-Reason")).orElse(OptionalLong.empty());
    return new ServiceRequest(
        group.number("Rating-Group"),
        group.number("Service-Identifier"),
        group.group("Requested-Service-Unit").map(ServiceUnits::of),
        used.map(ServiceUnits::of),
        inside.isPresent() ? inside : group.number("Reporting-Reason"));
  }

  void writeTo(AvpBuilder request) {
    request.group(
        MULTIPLE,
        service -> {
          requested.ifPresent(units -> service.group("Requested-Service-Unit", units::writeTo));
          used.ifPresent(units ->
              service.group(
                  "Used-Service-Unit",
                  group -> {
                    reason.ifPresent(value -> group.add("Reporting-Reason", value));
                    units.writeTo(group);
                  }));
          this.service.ifPresent(value -> service.add("Service-Identifier", value));
          ratingGroup.ifPresent(value -> service.add("Rating-Group", value));
        });
  }
}
