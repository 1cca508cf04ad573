package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.SecretToken;
import io.viaduct.billing.configuration.SnaptFacts;
import io.viaduct.billing.snapts.Invitation;
import io.viaduct.billing.snapts.Invitations;
import io.viaduct.billing.snapts.SnaptRefusedException;
import io.viaduct.service.digest.Sha256;
import io.viaduct.service.tls.CommonName;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Invites SNAPTs by one-time codes, and gives them their certificates, as an operator.
@RestController
@RequestMapping("/api/v1/snapts/{id}/invitation")
@Tag(name = "snapts")
class InvitationsResource {
  private static final int CERTIFICATES_MAX = 65_536;

  /// Stands for the key that a SNAPT names with its code.
  private static final String NO_KEY_YET = Base64.getEncoder().encodeToString(new byte[32]);

  private final Invitations invitations;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  InvitationsResource(Invitations invitations, InstantSource clock) {
    this.invitations = invitations;
    this.clock = clock;
  }

  record WantedInvitation(String owner, @Nullable String region, @Nullable Long lineRate) {
    WantedInvitation {
      JsonBody.require("owner", owner);
    }
  }

  record InvitationCode(String id, String code, Instant expiresAt) {
    @Override
    public String toString() {
      return "InvitationCode[id=" + id + "]";
    }
  }

  /// @param request PKCS#10 as PEM; absent until the SNAPT has used the code
  /// @param renewal whether the SNAPT is enrolled, and asks for its next certificate
  record InvitationView(
      String id,
      String owner,
      String region,
      @Nullable Long lineRate,
      String madeBy,
      Instant madeAt,
      Instant expiresAt,
      @Nullable Instant askedAt,
      @Nullable String reportKey,
      @Nullable String request,
      boolean certified,
      boolean renewal) {
    static InvitationView of(Invitation invited) {
      Invitation.Request asked = invited.request();
      return new InvitationView(
          invited.snapt(),
          invited.owner(),
          invited.region(),
          invited.lineRate().orElse(null),
          invited.madeBy(),
          invited.madeAt(),
          invited.expiresAt(),
          asked == null ? null : asked.askedAt(),
          asked == null ? null : asked.reportKey(),
          asked == null ? null : asked.text(),
          invited.isCertified(),
          invited.isRenewal());
    }
  }

  record GivenCertificate(String certificates) {
    GivenCertificate {
      JsonBody.require("certificates", certificates);
    }
  }

  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(
      summary = "Make a one-time code by which a SNAPT joins, as an operator",
      description =
          "The code is shown once, ends after 24 h, and replaces an earlier one of the SNAPT.",
      operationId = "inviteSnapt")
  InvitationCode invite(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestBody WantedInvitation wanted) {
    SnaptFacts facts;
    try {
      facts =
          new SnaptFacts(
              id,
              NO_KEY_YET,
              wanted.owner(),
              wanted.region() == null ? "" : wanted.region(),
              Optional.ofNullable(wanted.lineRate()));
    } catch (IllegalArgumentException e) {
      throw ProblemException.invalid(String.valueOf(e.getMessage()));
    }
    String code = SecretToken.draw(random);
    return new InvitationCode(
        id, code, invitations.invite(facts, code, caller.account(), clock.instant()));
  }

  @Refuses({ProblemType.NOT_FOUND})
  @GetMapping
  @Operation(
      summary = "The invitation of a SNAPT, and its request for a certificate",
      operationId = "getSnaptInvitation")
  InvitationView get(@PathVariable String id) {
    return invitations
        .find(id, clock.instant())
        .map(InvitationView::of)
        .orElseThrow(() -> ProblemException.notFound());
  }

  @Refuses({ProblemType.NOT_FOUND})
  @PutMapping("/certificate")
  @Operation(
      summary = "Give a SNAPT the certificate for its request, and enrol it, as an operator",
      description =
          "The certificates are PEM, the SNAPT's first, and its common name is the SNAPT's id. The"
              + " SNAPT checks that it fits its key. A renewal has the key of the present"
              + " certificate, and changes nothing else.",
      operationId = "certifySnapt")
  InvitationView certify(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestBody GivenCertificate given) {
    byte[] key = key(id, given.certificates());
    try {
      return invitations
          .certify(id, given.certificates(), key, caller.account(), clock.instant())
          .map(InvitationView::of)
          .orElseThrow(() -> ProblemException.notFound());
    } catch (SnaptRefusedException e) {
      throw SnaptsResource.problem(e);
    }
  }

  /// Returns the SHA-256 of the public key of the first certificate, which must be the SNAPT's.
  private static byte[] key(String id, String text) {
    if (text.length() > CERTIFICATES_MAX) {
      throw ProblemException.invalid("certificates must have at most 65536 characters");
    }
    try {
      Certificate first =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)))
              .stream()
              .findFirst()
              .orElseThrow(() -> new CertificateException("there is none"));
      String name = CommonName.of((X509Certificate) first).orElse("");
      if (!name.equals(id)) {
        throw ProblemException.invalid(
            "the common name of the certificate must be '%s', the SNAPT's id".formatted(id));
      }
      return Sha256.of(first.getPublicKey().getEncoded());
    } catch (CertificateException _) {
      throw ProblemException.invalid("certificates must be X.509 certificates as PEM");
    }
  }
}
