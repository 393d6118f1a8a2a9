import AsyncHTTPClient
import TextTable
import Histogram
import ArgumentParser
print("x")
