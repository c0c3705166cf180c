"""The short names of weaknesses, as MITRE's list of CWEs has them.

The table holds the 30 CWEs of SecMutBench and those that its operators name besides.
"""

from __future__ import annotations

NAMES: dict[str, str] = {
    "CWE-20": "Improper Input Validation",
    "CWE-22": "Path Traversal",
    "CWE-36": "Absolute Path Traversal",
    "CWE-73": "External Control of File Name or Path",
    "CWE-74": "Injection",
    "CWE-77": "Command Injection",
    "CWE-78": "OS Command Injection",
    "CWE-79": "Cross-site Scripting",
    "CWE-89": "SQL Injection",
    "CWE-90": "LDAP Injection",
    "CWE-94": "Code Injection",
    "CWE-95": "Eval Injection",
    "CWE-116": "Improper Encoding or Escaping of Output",
    "CWE-117": "Improper Output Neutralization for Logs",
    "CWE-200": "Exposure of Sensitive Information",
    "CWE-209": "Generation of Error Message Containing Sensitive Information",
    "CWE-259": "Use of Hard-coded Password",
    "CWE-276": "Incorrect Default Permissions",
    "CWE-284": "Improper Access Control",
    "CWE-287": "Improper Authentication",
    "CWE-295": "Improper Certificate Validation",
    "CWE-297": "Improper Validation of Certificate with Host Mismatch",
    "CWE-306": "Missing Authentication for Critical Function",
    "CWE-311": "Missing Encryption of Sensitive Data",
    "CWE-312": "Cleartext Storage of Sensitive Information",
    "CWE-319": "Cleartext Transmission of Sensitive Information",
    "CWE-321": "Use of Hard-coded Cryptographic Key",
    "CWE-326": "Inadequate Encryption Strength",
    "CWE-327": "Use of a Broken or Risky Cryptographic Algorithm",
    "CWE-328": "Use of Weak Hash",
    "CWE-330": "Use of Insufficiently Random Values",
    "CWE-338": "Use of Cryptographically Weak Pseudo-Random Number Generator",
    "CWE-347": "Improper Verification of Cryptographic Signature",
    "CWE-352": "Cross-Site Request Forgery",
    "CWE-400": "Uncontrolled Resource Consumption",
    "CWE-434": "Unrestricted Upload of File with Dangerous Type",
    "CWE-502": "Deserialization of Untrusted Data",
    "CWE-522": "Insufficiently Protected Credentials",
    "CWE-601": "Open Redirect",
    "CWE-611": "Improper Restriction of XML External Entity Reference",
    "CWE-639": "Authorization Bypass Through User-Controlled Key",
    "CWE-643": "XPath Injection",
    "CWE-732": "Incorrect Permission Assignment for Critical Resource",
    "CWE-776": "XML Entity Expansion",
    "CWE-798": "Use of Hard-coded Credentials",
    "CWE-862": "Missing Authorization",
    "CWE-863": "Incorrect Authorization",
    "CWE-915": "Mass Assignment",
    "CWE-918": "Server-Side Request Forgery",
    "CWE-1333": "Inefficient Regular Expression Complexity",
    "CWE-1336": "Template Injection",
}


def name_of(cwe: str) -> str:
    """The name of "CWE-<n>"; "" where the table has none."""
    return NAMES.get(cwe.strip().upper(), "")
