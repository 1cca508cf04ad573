package io.viaduct.bridge.cluster;

import com.google.protobuf.ByteString;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipHeader;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.usage.v1.SipFailure;
import io.viaduct.usage.v1.SipField;
import io.viaduct.usage.v1.SipOrder;
import io.viaduct.usage.v1.SipResult;
import java.util.List;

/// Writes and reads SIP messages as bridges pass them to each other.
final class SipText {
  private SipText() {}

  static SipOrder.Builder order(SipRequest request) {
    return SipOrder.newBuilder()
        .setMethod(request.method())
        .setUri(request.uri())
        .addAllFields(fields(request.headers()))
        .setBody(ByteString.copyFrom(request.body().bytes()));
  }

  static SipRequest request(SipOrder order) {
    return new SipRequest(
        order.getMethod(),
        order.getUri(),
        headers(order.getFieldsList()),
        SipBody.of(order.getBody().toByteArray()));
  }

  static SipResult.Builder result(SipResponse response) {
    return SipResult.newBuilder()
        .setStatus(response.status())
        .setReason(response.reason())
        .addAllFields(fields(response.headers()))
        .setBody(ByteString.copyFrom(response.body().bytes()));
  }

  static SipResponse response(SipResult result) {
    return new SipResponse(
        result.getStatus(),
        result.getReason(),
        headers(result.getFieldsList()),
        SipBody.of(result.getBody().toByteArray()));
  }

  static SipResult.Builder failure(SipException failure) {
    SipFailure reason =
        switch (failure.reason()) {
          case TIMEOUT -> SipFailure.TIMEOUT;
          case TRANSPORT -> SipFailure.TRANSPORT;
          case OVERLOAD -> SipFailure.OVERLOAD;
          case CLOSED -> SipFailure.CLOSED;
          case INVALID -> SipFailure.INVALID;
        };
    return SipResult.newBuilder()
        .setFailure(reason)
        .setDetail(String.valueOf(failure.getMessage()));
  }

  static SipException failure(SipResult result) {
    SipException.Reason reason =
        switch (result.getFailure()) {
          case TIMEOUT -> SipException.Reason.TIMEOUT;
          case TRANSPORT -> SipException.Reason.TRANSPORT;
          case OVERLOAD -> SipException.Reason.OVERLOAD;
          case INVALID -> SipException.Reason.INVALID;
          case CLOSED, SIP_FAILURE_UNSPECIFIED, UNRECOGNIZED -> SipException.Reason.CLOSED;
        };
    return new SipException(reason, result.getDetail());
  }

  private static List<SipField> fields(SipHeaders headers) {
    return headers.list().stream()
        .map(each -> SipField.newBuilder().setName(each.name()).setValue(each.value()).build())
        .toList();
  }

  private static SipHeaders headers(List<SipField> fields) {
    return new SipHeaders(
        fields.stream().map(each -> new SipHeader(each.getName(), each.getValue())).toList());
  }
}
